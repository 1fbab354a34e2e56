# unittest as a program uses it: results, skips, subtests, expected failures, logs, warnings, mocks
import io
import unittest
import warnings
from unittest import mock


class Account:
    def __init__(self, balance=0):
        self.balance = balance

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError('not enough')
        self.balance -= amount
        return self.balance


class AccountTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print('class set up')

    def setUp(self):
        self.account = Account(10)
        self.addCleanup(print, 'cleanup')

    def test_withdraw(self):
        self.assertEqual(self.account.withdraw(3), 7)

    def test_too_much(self):
        with self.assertRaisesRegex(ValueError, 'enough'):
            self.account.withdraw(11)

    def test_wrong(self):
        self.assertEqual([1, 2, 3], [1, 2, 4])

    def test_error(self):
        {}['missing']

    @unittest.skip('not today')
    def test_skipped(self):
        self.fail()

    @unittest.expectedFailure
    def test_known(self):
        self.assertTrue(False)

    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)

    def test_warns(self):
        with self.assertWarns(DeprecationWarning) as caught:
            warnings.warn('old', DeprecationWarning)
        self.assertEqual(str(caught.warning), 'old')

    def test_logs(self):
        import logging
        with self.assertLogs('bank', level='INFO') as logs:
            logging.getLogger('bank').info('paid %d', 3)
        self.assertEqual(logs.output, ['INFO:bank:paid 3'])


result = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromTestCase(AccountTest).run(result)
print(result.testsRun, len(result.failures), len(result.errors), len(result.skipped), len(result.expectedFailures))
for test, text in result.failures + result.errors:
    print(test, '|', text.strip().splitlines()[-1])
print(result.skipped[0][1])

stream = io.StringIO()
runner = unittest.TextTestRunner(stream=stream, verbosity=2)
runner.run(unittest.TestSuite([AccountTest('test_withdraw'), AccountTest('test_wrong')]))
lines = stream.getvalue().splitlines()
print([line for line in lines if line and not line.startswith(('  File', 'Ran'))])

# mocks
m = mock.Mock(return_value=3)
print(m(1, x=2), m.call_args, m.call_count)
m.assert_called_once_with(1, x=2)
try:
    m.assert_called_with(2)
except AssertionError as e:
    print(e)
with mock.patch.object(Account, 'withdraw', side_effect=[5, KeyError('k')]) as patched:
    a = Account()
    print(a.withdraw(1))
    try:
        a.withdraw(2)
    except KeyError as e:
        print('raised', e)
    print(patched.mock_calls)
magic = mock.MagicMock()
magic.__len__.return_value = 4
print(len(magic), magic.name.other() is magic.name.other())
print(mock.create_autospec(Account)(3).withdraw.__class__.__name__)
with mock.patch('builtins.print') as fake:
    print('hidden')
print(fake.call_args_list)
print(mock.sentinel.thing, mock.ANY == object())
