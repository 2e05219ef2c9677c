using System.Buffers.Binary;
using System.Buffers.Text;

namespace CoAP.NET.Speed.Loops;

/// <summary>
/// Observers of one resource over UDP, and one peer more that changes it as soon as all have been told of the change before.
/// </summary>
internal sealed unsafe class ObserveLoop : DatagramLink
{
    private const int HeaderSize = 4;
    private const int TokenSize = 4;
    private const int Digits = 8;
    private const byte Marker = 0xff;

    // 5.03
    private const byte Refusal = 0xa3;

    // A server has as many Message IDs for an observer in 247 s, and so has the one who changes for the server.
    private const int ChangesOfRegistration = 30_000;

    // A notification that takes so long was lost: it is not waited for, as the server repeats it, or tells the next state.
    private const double PatienceForAll = 0.2;
    private const double PatienceToRegister = 120;
    private const double PatienceForLast = 10;

    private readonly int _count;
    private readonly string _path;
    private readonly string? _firstPath;
    private readonly int[] _states;
    private readonly bool[] _isRegistered;
    private readonly long[] _changedAt = new long[1024];
    private LatencyHistogram? _times;
    private int _state;
    private int _registered;
    private int _told;
    private int _changesOfRegistration;
    private ushort _messageId;
    private byte[] _observeAndPath = [];
    private byte[] _cancelAndPath = [];
    private byte[] _pathAndFormat = [];
    private bool _isChanged;
    private bool _isCancelling;
    private long _errors;

    /// <summary>Makes the loop.</summary>
    /// <param name="server">The server.</param>
    /// <param name="observers">How many.</param>
    /// <param name="path">The resource, a path without its first slash; who PUTs it changes it.</param>
    /// <param name="firstPath">
    /// One that is observed before until all have been told once, by Confirmable messages: a server that does not know the time of a round
    /// trip may send a Non-confirmable notification every 3 s only (RFC 7641 section 4.5.1), and it learns that time from acknowledgements.
    /// </param>
    public ObserveLoop(IPEndPoint server, int observers, string path, string? firstPath = null)
        : base(server, observers + 1, hasOwnSockets: false)
    {
        _path = path;
        _firstPath = firstPath;
        _count = observers;
        _states = new int[observers];
        _isRegistered = new bool[observers];
    }

    /// <summary>Changes of the last run.</summary>
    public int Changes { get; private set; }

    /// <summary>Registers all, again from other addresses when they have been told much.</summary>
    /// <exception cref="TimeoutException">The server does not take them.</exception>
    public void Register()
    {
        if (_registered == _count && _changesOfRegistration < ChangesOfRegistration)
        {
            return;
        }

        if (_registered > 0)
        {
            AskAll(cancel: true);
            for (int i = 0; i <= _count; i++)
            {
                Move(i);
            }
        }

        _changesOfRegistration = 0;
        if (_firstPath is not null)
        {
            RegisterAt(_firstPath);
            Change(Now);
            for (long last = Now + Ticks(PatienceToRegister); _told < _count && Now < last;)
            {
                Wait();
            }

            AskAll(cancel: true);
        }

        RegisterAt(_path);
    }

    /// <summary>Runs. <see cref="RunResult.Lost"/> counts observers that do not have the last state at the end.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="cpu">Tells the processor time that the measured process took so far.</param>
    public RunResult Run(double seconds, Func<TimeSpan> cpu)
    {
        Register();
        _errors = 0;
        int first = _state;
        TimeSpan cpuBefore = cpu();
        LatencyHistogram times = _times = new LatencyHistogram();
        long begin = Now;
        long end = begin + Ticks(seconds);
        long changed = begin;
        Change(begin);
        for (long now = begin; now < end && _changesOfRegistration < 2 * ChangesOfRegistration; now = Now)
        {
            Wait();
            if ((_told == _count && _isChanged) || now - changed > Ticks(PatienceForAll))
            {
                changed = Now;
                Change(changed);
            }
        }

        TimeSpan elapsed = TimeProvider.System.GetElapsedTime(begin);
        TimeSpan used = cpu() - cpuBefore;
        _times = null;
        Changes = _state - first;
        for (long last = Now + Ticks(PatienceForLast); _told < _count && Now < last;)
        {
            Wait();
        }

        return new RunResult(times, elapsed, used, _count - _told, _errors);
    }

    /// <summary>Handles a notification, or what answers a registration or a change.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    protected override void Handle(byte* message, int length, long now)
    {
        const byte EmptyAck = 0x60;
        if (length >= HeaderSize && message[0] == EmptyAck && message[1] == 0)
        {
            return;
        }

        int index;
        if (length < HeaderSize + TokenSize || message[0] < 0x40 || (message[0] & 0xf) != TokenSize
            || (index = (int)Read(message + HeaderSize)) > _count)
        {
            _errors++;
            return;
        }

        if ((message[0] & 0x30) == 0)
        {
            byte* answer = Next(index);
            (answer[0], answer[1], answer[2], answer[3]) = (EmptyAck, 0, message[2], message[3]);
            Commit(HeaderSize);
        }

        if (message[1] == Refusal)
        {
            // Too much for the server at the time: whoever was to be registered asks again.
            return;
        }

        if (index == _count)
        {
            _isChanged |= message[1] is 0x44 or 0x41;
            _errors += message[1] is 0x44 or 0x41 ? 0 : 1;
            return;
        }

        if (message[1] != 0x45 || length < HeaderSize + TokenSize + Digits + 1 || message[length - Digits - 1] != Marker
            || !Utf8Parser.TryParse(new ReadOnlySpan<byte>(message + length - Digits, Digits), out int state, out _))
        {
            _errors++;
            return;
        }

        Handle(index, state, now, message, length);
    }

    private static uint Read(byte* at) => BinaryPrimitives.ReverseEndianness(Unsafe.ReadUnaligned<uint>(at));

    private void Handle(int index, int state, long now, byte* message, int length)
    {
        if (!_isRegistered[index] != _isCancelling)
        {
            // What says Observe is a registration that was taken; what does not ends one.
            bool isObserved = CoapDatagramSerializer.Default.Deserialize(new ReadOnlySpan<byte>(message, length)).Options
                .Get<ObserveOption>() is not null;
            if (isObserved != _isCancelling)
            {
                _isRegistered[index] = !_isCancelling;
                _registered += _isCancelling ? -1 : 1;
            }
        }

        if (state > _states[index])
        {
            // One that comes again is no other one.
            _states[index] = state;
            _times?.Add(Nanoseconds(_changedAt[state % _changedAt.Length], now));
            _told += state == _state ? 1 : 0;
        }
    }

    private void RegisterAt(string path)
    {
        const int Observe = 6;

        // Observe 0 is empty; Content-Format 0 follows the path.
        _observeAndPath = [Observe << 4, .. DatagramMessages.PathOptions(path, Observe)];
        _cancelAndPath = [(Observe << 4) | 1, 1, .. DatagramMessages.PathOptions(path, Observe)];
        _pathAndFormat = [.. DatagramMessages.PathOptions(path), 0x10, Marker];

        // So that there is a state to be told.
        Change(Now);
        for (long last = Now + Ticks(PatienceToRegister); !_isChanged && Now < last;)
        {
            Wait();
        }

        AskAll(cancel: false);
        if (_registered < _count)
        {
            throw new TimeoutException($"{_registered} of {_count} observers were registered in {PatienceToRegister} s.");
        }
    }

    private void Change(long now)
    {
        _state++;
        _told = 0;
        _isChanged = false;
        _changesOfRegistration++;
        _changedAt[_state % _changedAt.Length] = now;
        const byte Put = 3;
        byte* message = Begin(_count, Put);
        _pathAndFormat.CopyTo(new Span<byte>(message, _pathAndFormat.Length));
        Encoding.ASCII.GetBytes(_state.ToString("D8"))
            .CopyTo(new Span<byte>(message + _pathAndFormat.Length, Digits));
        Commit(HeaderSize + TokenSize + _pathAndFormat.Length + Digits);
    }

    // Asks until all have been answered, as what asks many at once may be lost.
    private void AskAll(bool cancel)
    {
        const int Together = 64;
        const double Again = 1;
        _isCancelling = cancel;
        int wanted = cancel ? 0 : _count;
        byte[] options = cancel ? _cancelAndPath : _observeAndPath;
        for (long last = Now + Ticks(PatienceToRegister); _registered != wanted && Now < last;)
        {
            for (int i = 0; i < _count; i++)
            {
                if (_isRegistered[i] == cancel)
                {
                    options.CopyTo(new Span<byte>(Begin(i, 1), options.Length));
                    Commit(HeaderSize + TokenSize + options.Length);
                }

                if (i % Together == 0)
                {
                    Take();
                }
            }

            for (long again = Now + Ticks(Again); _registered != wanted && Now < again;)
            {
                Wait();
            }
        }

        _isCancelling = false;
    }

    private byte* Begin(int index, byte code)
    {
        _messageId++;
        byte* message = Next(index);
        (message[0], message[1], message[2], message[3]) = (0x40 | TokenSize, code, (byte)(_messageId >> 8), (byte)_messageId);
        Unsafe.WriteUnaligned(message + HeaderSize, BinaryPrimitives.ReverseEndianness((uint)index));
        return message + HeaderSize + TokenSize;
    }
}
