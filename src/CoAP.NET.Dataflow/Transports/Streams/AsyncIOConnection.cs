namespace CoAP.NET.Transports.Streams;

/// <summary>
/// A connection over asynchronous calls of the platform (<see cref="ConnectionByteTransport"/>): its beginning and its end.
/// <see cref="ConnectionReader"/> handles its input, <see cref="ConnectionWriter"/> its output; all of them share one lock.
/// </summary>
internal sealed class AsyncIOConnection : CoapConnection
{
    private readonly AsyncIOConnections _host;
    private readonly ConnectionByteTransport _link;
    private readonly ConnectionReader _reader;
    private readonly ConnectionWriter _writer;

    // All guarded by the lock.
    private bool _isStarted;
    private bool _isTold;
    private int _holders;
    private Exception? _reason;
    private bool _lingers;
    private bool _isFreed;

    private int _identityUses = 2;

    public AsyncIOConnection(
        AsyncIOConnections host,
        ConnectionByteTransport link,
        CoapAddress remote,
        CoapAddress local,
        bool isInitiator,
        ICoapPeerIdentity? identity = null,
        string? serverName = null)
        : base(host.Transport, remote, local, isInitiator)
    {
        _host = host;
        _link = link;
        Identity = identity;
        ServerName = serverName;
        _writer = new ConnectionWriter(this, link, host.Context);
        _reader = new ConnectionReader(this, link, _writer, host);
    }

    /// <summary>The lock of the connection, its reader and its writer.</summary>
    public Lock Gate { get; } = new();

    /// <summary>Whether it was ended by any party. Guarded by <see cref="Gate"/>.</summary>
    public bool IsOver { get; private set; }

    public override bool IsCongested => _writer.IsCongested;

    public override CoapConnectionTransferProgress Progress
    {
        get
        {
            (long frames, long partial, long partialReceived) = _reader.Progress;
            return new CoapConnectionTransferProgress(frames, partial, _writer.Sent, Math.Max(0, _writer.Waiting))
            {
                PartialReceived = partialReceived,
            };
        }
    }

    public override long Backlog => _writer.Backlog;

    /// <summary>Starts to read. <see cref="ICoapConnectionTransportContext.Opened"/> has returned true.</summary>
    public void Start()
    {
        bool tells;
        bool reads;
        lock (Gate)
        {
            _isStarted = true;
            tells = TryReport();
            reads = !IsOver;
            _holders += reads ? 1 : 0;
        }

        if (tells)
        {
            Report();
        }

        if (reads)
        {
            _reader.Start();
        }
    }

    /// <summary>Closes a connection that was refused.</summary>
    public void Abandon()
    {
        lock (Gate)
        {
            IsOver = _isTold = true;
        }

        Release();
        ReleaseIdentity();
    }

    public override void Send(CoapDatagram frame) => _writer.Send(frame);

    public override void PauseReading() => _reader.Pause();

    public override void ResumeReading() => _reader.Resume();

    public override void Close(CoapException? reason) => End(reason, lingers: false);

    /// <summary>Cuts the available bytes into frames and hands them in. Called on a thread that was marked for it.</summary>
    public void RunFrames() => _reader.RunFrames();

    /// <summary>
    /// Marks the start of user code on the reading thread. The user code may wait for its own output, so nothing else may wait for the user
    /// code.
    /// </summary>
    public void EnterUserCode()
    {
        _host.UserCodeBegins();
        bool tells;
        bool isLate;
        lock (Gate)
        {
            _reader.Turn = ConnectionReaderState.InUserCode;
            isLate = _writer.TryLeaveBatch();
            tells = TryReport();
        }

        if (isLate)
        {
            _host.UserCodeBlockedConnectionFlusher.Watch(this);
        }

        if (tells)
        {
            Report();
        }
    }

    public void ExitUserCode()
    {
        _host.UserCodeEnds();
        lock (Gate)
        {
            _reader.Turn = ConnectionReaderState.InStages;
            _writer.JoinBatch();
        }
    }

    /// <summary>Marks the end of user code whose end was never reported.</summary>
    public void LeaveUserCode() => _host.UserCodeEnds();

    /// <summary>Sends messages that wait for the end of a batch whose thread stays in user code.</summary>
    public void FlushLate()
    {
        bool writes;
        lock (Gate)
        {
            writes = _reader.Turn == ConnectionReaderState.InUserCode && _writer.TryBegin();
        }

        if (writes)
        {
            _writer.Run();
        }
    }

    /// <summary>Ends the connection, once. The end is reported when no thread has a frame in the stages.</summary>
    /// <param name="error">The error; null for an orderly end.</param>
    /// <param name="lingers">
    /// Whether the local side was ended in order, so the peer's remaining data is read until it ends its side: otherwise the peer would
    /// lose the last sent data.
    /// </param>
    public void End(Exception? error, bool lingers)
    {
        bool tells;
        bool saysSo = false;
        TaskCompletionSource? resume = null;
        lock (Gate)
        {
            if (IsOver)
            {
                _lingers = lingers = false;
                tells = false;
            }
            else
            {
                IsOver = true;
                _reason = error;
                saysSo = error is null && !lingers && !_writer.IsWriting;
                lingers &= _reader.IsReading && _host.TryLinger(this);
                _lingers = lingers;
                tells = TryReport();
                resume = _reader.TakeResume();
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
            Report();
        }
    }

    /// <summary>Ends the connection for an exception of the platform.</summary>
    public void EndBy(Exception error)
    {
        if (_link.HasEnded)
        {
            // The peer has closed the connection, which is why a write fails.
            OnReceiveEnded();
        }
        else
        {
            End(_link.Explain(error, _reader.HasHeard), lingers: false);
        }
    }

    /// <summary>Ends the connection after the peer has ended its side too, or its time is over.</summary>
    public void EndLingering()
    {
        lock (Gate)
        {
            if (!_lingers)
            {
                return;
            }

            _lingers = false;
        }

        Release();
    }

    /// <summary>Handles the end of the peer's side, after everything before it was handed in.</summary>
    public void OnReceiveEnded()
    {
        if (_link.ExplainEnd(_reader.HasHeard) is { } error)
        {
            End(error, lingers: false);
        }
        else if (_link.EndsBothWays)
        {
            End(_link.EndReason, lingers: false);
        }
        else
        {
            _host.Context.ReceiveEnded(this);
        }
    }

    /// <summary>Counts one more user of the link. Under the lock.</summary>
    public void Enter() => _holders++;

    /// <summary>Counts one user of the link less. Takes the lock.</summary>
    public void Leave() => CountHolders(-1);

    /// <summary>Whether the caller must report the end (<see cref="Report"/>), after the lock. Under the lock.</summary>
    public bool TryReport()
    {
        if (!IsOver || !_isStarted || _isTold || _reader.Turn == ConnectionReaderState.InStages)
        {
            return false;
        }

        _isTold = true;
        return true;
    }

    public void Report()
    {
        DisconnectReportScope.Report(_host, this, _reason);
        ReleaseIdentity();
    }

    /// <summary>Returns the reader, if it waits and may continue. Under the lock.</summary>
    public TaskCompletionSource? TakeResume() => _reader.TakeResume();

    // The reading and the writing thread notice it, and the last of them releases the rest.
    private void Release()
    {
        _host.Forget(this);
        _link.Close();
        CountHolders(0);
    }

    // When the link is unused and the connection is over, its resources are released.
    private void CountHolders(int change)
    {
        bool isFree;
        lock (Gate)
        {
            _holders += change;
            isFree = _holders == 0 && IsOver && !_lingers && !_isFreed;
            if (isFree)
            {
                _isFreed = true;
                _writer.Free();
            }
        }

        if (isFree)
        {
            _link.Release();
            ReleaseIdentity();
        }
    }

    // The certificate lives until nothing is left of the connection and its end was reported.
    private void ReleaseIdentity()
    {
        if (Interlocked.Decrement(ref _identityUses) == 0)
        {
            (Identity as CoapTlsPeerIdentity)?.Certificate?.Dispose();
        }
    }
}
