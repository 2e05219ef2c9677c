using System.Buffers.Binary;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>A session of a server with a backup: it uses no record numbers beyond those that the backup confirmed. Thread-safe.</summary>
internal sealed class DtlsSessionWithBackup : DtlsSession
{
    // For a session that no other process loads while it is here.
    private const ulong Unlimited = ulong.MaxValue;

    // There may be very many sessions: rare and short-lived state is kept elsewhere, by session. The session may use numbers below this; a
    // flag tells whether it has asked the backup for a further reserve. Under the lock of the records.
    private ulong _confirmed = Unlimited;
    private bool _asks;
    private bool _isWaiting;
    private bool _isInDoubt;
    private bool _isRetiring;
    private bool _isBarred;

    // Whether its last state was written. Another process may use its numbers from then on, so a late confirmation gives none back.
    private bool _isHandedOn;
    private readonly byte[] _clientCredentials;

    /// <summary>Creates a session from the result of its handshake.</summary>
    /// <param name="established">The result of the handshake.</param>
    /// <param name="path">The path to the peer.</param>
    /// <param name="owner">Finds the session, and has the backup.</param>
    /// <param name="id">The name for the backup.</param>
    public DtlsSessionWithBackup(HandshakeResult established, in DtlsPath path, IDtlsSessionOwner owner, ulong id)
        : base(established, path, owner, isInitiator: false, null) => (Id, _clientCredentials) = (id, established.ClientCredentials);

    /// <summary>The name for the backup.</summary>
    public ulong Id { get; }

    public override byte? Slot => (byte)(Id >> 56);

    /// <summary>The name in the form that the backup gets.</summary>
    public byte[] IdBytes()
    {
        byte[] id = new byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(id, Id);
        return id;
    }

    /// <summary>The <see cref="CoapDtlsSessionChange.Stamp"/>; only the thread that hands over uses it.</summary>
    public long Stamp { get; set; }

    /// <summary>Whether it is in the backup's queue; under the lock of the queue.</summary>
    public bool IsPending { get; set; }

    /// <summary>Whether the queue has handed it over before; only the thread that hands over uses it.</summary>
    public bool IsHandedOver { get; set; }

    /// <summary>
    /// Until when the state that the backup confirmed last is useful, in ticks of UTC, and the hash of the path that
    /// it names; default for none. Only the thread that hands over uses it.
    /// </summary>
    public (long Until, int Place) ConfirmedState { get; set; }

    /// <summary>What is kept about the credentials of its client (<see cref="ClientCredentialRecord"/>); empty for nothing.</summary>
    public ReadOnlySpan<byte> ClientCredentials => _clientCredentials;

    /// <summary>
    /// Whether another process or another server performed its handshake. Such a session receives and sends nothing before
    /// <see cref="Admit"/>.
    /// </summary>
    public bool IsLoaded
    {
        get;
        init => field = _isBarred = value;
    }

    /// <summary>Whether this server accepts the credentials of its client.</summary>
    public bool IsAdmitted => !Volatile.Read(ref _isBarred);

    /// <summary>Whether the table has contained it.</summary>
    public bool IsOpened { get; set; }

    /// <summary>
    /// Whether an attacker could replay records from shortly before the crash of the process that had it, because it is unknown which
    /// arrived.
    /// </summary>
    public bool IsInDoubt
    {
        get => Volatile.Read(ref _isInDoubt);
        init => _isInDoubt = value;
    }

    /// <summary>Whether its handover begins as soon as pending work is done: new requests of its client are for the next server.</summary>
    public bool IsRetiring
    {
        get => Volatile.Read(ref _isRetiring);
        set => Volatile.Write(ref _isRetiring, value);
    }

    /// <summary>Whether it waits for requested record numbers.</summary>
    public bool IsWaiting => Volatile.Read(ref _isWaiting);

    /// <summary>Whether it waits for record numbers, or for the check of the credentials of its client.</summary>
    public bool IsNotReady => IsWaiting || !IsAdmitted;

    /// <summary>Whether it has requested record numbers that the backup has not confirmed.</summary>
    public bool AsksForNumbers
    {
        get
        {
            lock (Records)
            {
                return _asks;
            }
        }
    }

    /// <summary>Whether it has not been used since it was loaded: the backup has its complete state.</summary>
    public bool IsUntouched
    {
        get
        {
            lock (Records)
            {
                return !_asks && Records.NextSequence >= _confirmed;
            }
        }
    }

    /// <summary>Whether its keys have enough numbers for another process.</summary>
    public bool HasNumbers
    {
        get
        {
            lock (Records)
            {
                return Records.CanContinueAt(Records.NextSequence + RecordLayer.NumbersOfReserve);
            }
        }
    }

    /// <summary>
    /// Limits a new session to the record numbers that its state will contain. They need no confirmation: a process that loads the state
    /// begins after them, and without a stored state no process loads it.
    /// </summary>
    public void BeginToCount()
    {
        lock (Records)
        {
            _confirmed = Records.NextSequence + RecordLayer.NumbersOfReserve;
            Records.Limit(_confirmed);
        }
    }

    /// <summary>Bars a loaded session from using a record number before the backup confirms one; it asks when it needs one.</summary>
    public void BeginWithoutNumbers()
    {
        lock (Records)
        {
            _confirmed = Records.NextSequence;
            Records.Limit(_confirmed);
        }

        // The backup has it.
        IsHandedOver = true;
    }

    /// <summary>
    /// Obtains what it needs to answer: the check of the credentials of its client, and record numbers. It requests some, waits for those
    /// requested, or ends if there are none.
    /// </summary>
    public void PrepareToAnswer()
    {
        if (!IsAdmitted)
        {
            SessionBackup.LoadedSessionCredentialCheck.Ask(this);
        }

        if (!IsWaiting && !FindsNumbers())
        {
            End(DtlsSessionEndReason.Exhausted, tells: true);
        }
    }

    /// <summary>Writes its complete state, with its keys.</summary>
    /// <param name="writer">Receives the state.</param>
    /// <param name="isLast">
    /// Whether it stops here: it sends and receives nothing afterwards, and the copy begins with the next number.
    /// </param>
    /// <param name="seen">The state of received messages for the next server; empty for none.</param>
    /// <param name="asked">Once the state is kept, the session may use the numbers below this.</param>
    /// <param name="progress">The part of the state that messages change.</param>
    /// <returns>False if it has ended, or has nearly used up its numbers.</returns>
    public bool TryWrite(StateWriter writer, bool isLast, ReadOnlySpan<byte> seen, out ulong asked, out SessionRecordNumbers progress)
    {
        Span<byte> via = stackalloc byte[SessionSteering.MaxViaName];
        via = via[..(HasCid && Home.Steering is { } steering ? steering.NameVia(ConfirmedPath, via) : 0)];
        progress = default;
        lock (Records)
        {
            asked = isLast || _confirmed == Unlimited ? Records.NextSequence
                : _confirmed + (_asks ? RecordLayer.NumbersOfReserve : 0);
            if (IsClosed || _isHandedOn || !Records.CanContinueAt(isLast ? asked + RecordLayer.NumbersOfReserve : asked))
            {
                return false;
            }

            long now = Home.Time.GetUtcNow().UtcTicks;
            progress = new SessionRecordNumbers(now - Idle.Ticks, Records.Window.Next, asked);
            writer.WriteNumber(now);
            writer.WriteFlag(isLast && !_isInDoubt);
            writer.WriteNumber((long)Id);
            Records.Write(writer, asked);
            SessionStateFormat.Write(writer, this, seen, via);
            if (isLast)
            {
                // Messages wait until it ends, which drops them.
                Volatile.Write(ref _isWaiting, true);
                _isHandedOn = true;
                Records.Limit(0);
            }

            return true;
        }
    }

    /// <summary>Lets a loaded session receive and send, because this server accepts the credentials of its client.</summary>
    public void Admit()
    {
        bool isFree;
        lock (Records)
        {
            Volatile.Write(ref _isBarred, false);
            isFree = !_isWaiting;
        }

        if (isFree)
        {
            SessionBackup.OnConfirmed(this);
        }
    }

    /// <summary>Raises the limit of its record numbers, after the backup has kept its state.</summary>
    /// <param name="asked">The value from <see cref="TryWrite"/>.</param>
    public void OnConfirmed(ulong asked)
    {
        bool hasWaited = false;
        lock (Records)
        {
            if (!IsClosed && !_isHandedOn && asked > _confirmed)
            {
                Records.Extend(asked - _confirmed);
                _confirmed = asked;
                _asks = false;
                hasWaited = _isWaiting && !_isBarred;
                Volatile.Write(ref _isWaiting, false);
            }
        }

        if (hasWaited)
        {
            SessionBackup.OnConfirmed(this);
        }
    }

    /// <summary>
    /// Ends the doubt after the client answered a question of this process: the session rejects records older than the answer from now on.
    /// </summary>
    /// <returns>The lowest record number that it accepts.</returns>
    public ulong EndDoubt()
    {
        lock (Records)
        {
            Volatile.Write(ref _isInDoubt, false);
            return Records.CloseWindow();
        }
    }

    private protected override void Deliver(in DtlsPath path, ReadOnlySpan<byte> content, ulong sequence)
    {
        if (IsInDoubt)
        {
            SessionBackup.Doubts.Receive(this, path, content, sequence);
        }
        else
        {
            base.Deliver(path, content, sequence);
        }
    }

    private SessionBackup SessionBackup => Home.SessionBackup!;

    private protected override bool IsHeldUp => _isBarred || Records.IsAlmostUsedUp;

    private protected override bool FindsNumbers()
    {
        bool asks = false;
        bool waits;
        lock (Records)
        {
            if (IsClosed || _isHandedOn || !Records.IsRunningLow)
            {
                return true;
            }

            if (_confirmed == Unlimited)
            {
                return !Records.IsAlmostUsedUp;
            }

            if (!_asks && Records.CanContinueAt(_confirmed + RecordLayer.NumbersOfReserve))
            {
                _asks = asks = true;
            }

            if (!Records.IsAlmostUsedUp)
            {
                waits = false;
            }
            else if (!_asks)
            {
                return false;
            }
            else
            {
                waits = !_isWaiting;
                Volatile.Write(ref _isWaiting, true);
            }
        }

        if (waits)
        {
            SessionBackup.OnWaiting(this);
        }

        if (asks)
        {
            SessionBackup.OnAsked(this);
        }

        return true;
    }

    private protected override bool SendWhenFound(ReadOnlySpan<byte> content)
    {
        if (!IsAdmitted)
        {
            SessionBackup.LoadedSessionCredentialCheck.Ask(this);
        }

        if (!IsNotReady)
        {
            // The backup has confirmed them immediately.
            return Send(content);
        }

        SessionBackup.UnconfirmedSessionSendQueue.Enqueue(this, content);
        if (!IsNotReady || IsClosed)
        {
            // The numbers arrived in the meantime, or the session has ended.
            SessionBackup.UnconfirmedSessionSendQueue.Release(this);
        }

        return false;
    }
}
