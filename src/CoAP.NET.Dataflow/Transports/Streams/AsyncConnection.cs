using System.IO.Pipelines;

namespace CoAP.NET.Transports;

/// <summary>A connection over what the platform drives by asynchronous calls (<see cref="ConnectionLink"/>), with a pipe for what comes and one for what leaves.</summary>
internal sealed partial class AsyncConnection : CoapConnection
{
    private const int MaxDiscarded = 4 * 1024 * 1024;

    // What is read only to be forgotten: any number of connections may write over it.
    private static readonly byte[] s_discarded = new byte[16 * 1024];

    private readonly ConnectionHost _host;
    private readonly CoapTransportContext _context;
    private readonly ConnectionLink _link;
    private readonly Lock _gate = new();

    // All guarded by _gate.
    private Turn _turn;
    private bool _isStarted;
    private bool _isOver;
    private bool _isTold;
    private int _holders;
    private Exception? _reason;
    private TaskCompletionSource? _resume;

    private bool _lingers;
    private bool _isFreed;

    private int _identityUses = 2;
    private int _pauses;

    public AsyncConnection(
        ConnectionHost host, ConnectionLink link, CoapAddress remote, CoapAddress local, bool isInitiator, object? identity = null, string? serverName = null)
        : base(host.Transport, remote, local, isInitiator)
    {
        _host = host;
        _context = host.Context;
        _link = link;
        Identity = identity;
        ServerName = serverName;
        _charge = new ReadCharge(_context, this);
        _output = new Pipe(s_outputOptions);
        link.Begin(_charge);
    }

    /// <summary>What the thread of the reader does.</summary>
    private enum Turn : byte
    {
        /// <summary>It waits, or looks for the end of a frame.</summary>
        Cutting,

        /// <summary>It is with a frame in the stages.</summary>
        InStages,

        /// <summary>It is with a frame in user code, from where it may not come back soon.</summary>
        InUserCode,
    }

    public override bool IsCongested => Volatile.Read(ref _isCongested);

    public override CoapConnectionProgress Progress
    {
        get
        {
            // Whoever sends half a record is in the middle of a frame, of which none is seen yet.
            long record = _link.RecordReceived;
            long partial = Math.Max(Volatile.Read(ref _partial), Math.Min(record, 1));
            return new CoapConnectionProgress(Volatile.Read(ref _frames), partial, Volatile.Read(ref _sent), Math.Max(0, Volatile.Read(ref _waiting)))
            {
                PartialReceived = Volatile.Read(ref _partialReceived) + record,
            };
        }
    }

    internal override long Backlog => _backlog.Told;

    /// <summary>Begins to read. <see cref="CoapTransportContext.Opened"/> has returned true.</summary>
    public void Start()
    {
        bool tells;
        bool reads;
        lock (_gate)
        {
            _isStarted = true;
            tells = TryTell();
            reads = !_isOver;
            _holders += reads ? 1 : 0;
        }

        if (tells)
        {
            Tell();
        }

        if (reads)
        {
            _ = ReadAsync();
        }
    }

    /// <summary>Closes a connection that nobody took.</summary>
    public void Abandon()
    {
        lock (_gate)
        {
            _isOver = _isTold = true;
        }

        Release();
        LetGoOfIdentity();
    }

    public override void PauseReading() => Interlocked.Increment(ref _pauses);

    public override void ResumeReading()
    {
        if (Interlocked.Decrement(ref _pauses) == 0)
        {
            TaskCompletionSource? resume;
            lock (_gate)
            {
                resume = TakeResume();
            }

            resume?.TrySetResult();
        }
    }

    public override void Close(CoapException? reason) => End(reason, lingers: false);

    /// <summary>User code begins on the thread that reads: what it waits for may be what it sends itself, and nothing else may wait for it.</summary>
    public void EnterUserCode()
    {
        _host.UserCodeBegins();
        bool tells;
        bool isLate;
        lock (_gate)
        {
            _turn = Turn.InUserCode;
            _batchThread = 0;
            isLate = _unflushed && !_isOver;
            tells = TryTell();
        }

        if (isLate)
        {
            _host.LateOutput.Watch(this);
        }

        if (tells)
        {
            Tell();
        }
    }

    public void ExitUserCode()
    {
        _host.UserCodeEnds();
        lock (_gate)
        {
            _turn = Turn.InStages;
            _batchThread = Environment.CurrentManagedThreadId;
        }
    }

    /// <summary>User code began and its end was never said.</summary>
    public void LeaveUserCode() => _host.UserCodeEnds();

    /// <summary>Ends the connection, once. It is told when no thread is with a frame in the stages.</summary>
    /// <param name="error">Why; null for an orderly end.</param>
    /// <param name="lingers">Whether our side was ended in order, so that what the peer still sends is read until it ends its side: otherwise it would lose what was sent last.</param>
    private void End(Exception? error, bool lingers)
    {
        bool tells;
        bool saysSo = false;
        TaskCompletionSource? resume = null;
        lock (_gate)
        {
            if (_isOver)
            {
                _lingers = lingers = false;
                tells = false;
            }
            else
            {
                _isOver = true;
                _reason = error;
                saysSo = error is null && !lingers && !_isWriting;
                lingers &= _isReading && _host.TryLinger(this);
                _lingers = lingers;
                tells = TryTell();
                resume = TakeResume();
            }
        }

        if (saysSo)
        {
            _link.SayEnd();
        }

        if (!lingers)
        {
            Release();
        }

        resume?.TrySetResult();
        if (tells)
        {
            Tell();
        }
    }

    /// <summary>The peer has ended its side, too, or had time enough.</summary>
    public void EndLingering()
    {
        lock (_gate)
        {
            if (!_lingers)
            {
                return;
            }

            _lingers = false;
        }

        Release();
    }

    private void OnReceiveEnded()
    {
        if (_link.ExplainEnd(_hasHeard) is { } error)
        {
            End(error, lingers: false);
        }
        else if (_link.EndsBothWays)
        {
            End(_link.EndReason, lingers: false);
        }
        else
        {
            _context.ReceiveEnded(this);
        }
    }

    // Our side was ended in order. What the peer had under way is taken and forgotten until it ends its side: closing a socket with unread bytes resets the connection,
    // and the peer would lose what was sent last.
    private async ValueTask DiscardAsync()
    {
        try
        {
            int total = 0;
            int count;
            do
            {
                count = await _link.DiscardAsync(s_discarded).ConfigureAwait(false);
                total += count;
            }
            while (count > 0 && total < MaxDiscarded);
        }
#pragma warning disable CA1031 // it ended otherwise, and nobody wants to know how
        catch (Exception)
#pragma warning restore CA1031
        {
        }

        EndLingering();
    }

    /// <summary>Closes it. Whoever reads or writes finds out, and the last of them gives back the rest.</summary>
    private void Release()
    {
        _host.Forget(this);
        _link.Close();
        Hold(0);
    }

    /// <summary>Counts who uses the link; when nobody does and the connection is over, what it holds is given back.</summary>
    private void Hold(int change)
    {
        bool isFree;
        lock (_gate)
        {
            _holders += change;
            isFree = _holders == 0 && _isOver && !_lingers && !_isFreed;
            if (isFree)
            {
                _isFreed = true;
                _output.Writer.Complete();
                _output.Reader.Complete();
            }
        }

        if (isFree)
        {
            _link.Release();
            LetGoOfIdentity();
        }
    }

    // The certificate lives until nothing is left of the connection and its end was told.
    private void LetGoOfIdentity()
    {
        if (Interlocked.Decrement(ref _identityUses) == 0)
        {
            (Identity as CoapTlsIdentity)?.Certificate?.Dispose();
        }
    }

    // Under the lock: whether the caller is the one to tell, after the lock.
    private bool TryTell()
    {
        if (!_isOver || !_isStarted || _isTold || _turn == Turn.InStages)
        {
            return false;
        }

        _isTold = true;
        return true;
    }

    private void Tell()
    {
        EndingRole.Tell(_host, this, _reason);
        LetGoOfIdentity();
    }

    // Under the lock: the reader, if it waits and may go on.
    private TaskCompletionSource? TakeResume()
    {
        if (_resume is not { } resume || !(_isOver || MayRead))
        {
            return null;
        }

        _resume = null;
        return resume;
    }
}
