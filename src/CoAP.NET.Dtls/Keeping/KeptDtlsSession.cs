using System.Buffers.Binary;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>A session of a server that has a keeper: it counts no further than that has confirmed. Thread-safe.</summary>
internal sealed class KeptDtlsSession : DtlsSession
{
    // That of a session of which nobody loads a copy while it is here.
    private const ulong Unlimited = ulong.MaxValue;

    // There may be very many sessions: what few of them have, and not for long, others keep by session.
    // Numbers below it are ours; whether the keeper is asked for a reserve more. Under the lock of the records.
    private ulong _confirmed = Unlimited;
    private bool _asks;
    private bool _isWaiting;
    private bool _isInDoubt;
    private bool _isRetiring;

    /// <summary>Makes a session of what its handshake left.</summary>
    /// <param name="established">What the handshake left.</param>
    /// <param name="path">Where the peer is.</param>
    /// <param name="home">Who finds it, and has the keeper.</param>
    /// <param name="id">The name that it is kept by.</param>
    public KeptDtlsSession(Established established, in DtlsPath path, IDtlsSessionHome home, ulong id)
        : base(established, path, home, isInitiator: false, null) => Id = id;

    /// <summary>The name that it is kept by.</summary>
    public ulong Id { get; }

    public override byte? Slot => (byte)(Id >> 56);

    /// <summary>The same as a keeper sees it.</summary>
    public byte[] IdBytes()
    {
        byte[] id = new byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(id, Id);
        return id;
    }

    /// <summary>The <see cref="CoapDtlsSessionChange.Stamp"/>; of the one who hands over.</summary>
    public long Stamp { get; set; }

    /// <summary>Whether it stands in the line of the keeper; under the lock of that.</summary>
    public bool IsPending { get; set; }

    /// <summary>Whether it was handed over before; of the one who hands over.</summary>
    public bool IsHandedOver { get; set; }

    /// <summary>Whether its handshake was made by another process, or by another server.</summary>
    public bool IsLoaded { get; init; }

    /// <summary>Whether the table has had it.</summary>
    public bool IsOpened { get; set; }

    /// <summary>
    /// Whether somebody may repeat records that came shortly before the crash of the process that had it: nobody knows which came.
    /// </summary>
    public bool IsInDoubt
    {
        get => Volatile.Read(ref _isInDoubt);
        init => _isInDoubt = value;
    }

    /// <summary>
    /// Whether it is handed over as soon as what is under way is done: a request of its client is for whoever has it next.
    /// </summary>
    public bool IsRetiring
    {
        get => Volatile.Read(ref _isRetiring);
        set => Volatile.Write(ref _isRetiring, value);
    }

    /// <summary>Whether it waits for numbers that were asked for.</summary>
    public bool IsWaiting => Volatile.Read(ref _isWaiting);

    /// <summary>Whether it has asked for numbers that are not confirmed.</summary>
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

    /// <summary>Whether it was loaded and has not been needed since: the keeper has all of it.</summary>
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
    /// Has a new session count no further than its state will say. That need not be confirmed: whoever loads a state begins behind these
    /// numbers, and where none was kept nobody loads one.
    /// </summary>
    public void BeginToCount()
    {
        lock (Records)
        {
            _confirmed = Records.NextSequence + RecordLayer.NumbersOfReserve;
            Records.Limit(_confirmed);
        }
    }

    /// <summary>Has a session that was loaded use no number before one is confirmed, for which it asks when it needs one.</summary>
    public void BeginWithoutNumbers()
    {
        lock (Records)
        {
            _confirmed = Records.NextSequence;
            Records.Limit(_confirmed);
        }

        // The keeper has it.
        IsHandedOver = true;
    }

    /// <summary>Has it find numbers to answer with: it asks for some, waits for those it asked for, or ends where there are none.</summary>
    public void AskForNumbers()
    {
        if (!IsWaiting && !FindsNumbers())
        {
            End(DtlsEnd.Exhausted, tells: true);
        }
    }

    /// <summary>Writes all of it, with its keys.</summary>
    /// <param name="writer">Takes it.</param>
    /// <param name="isLast">Whether it stops here: nothing is sent or received afterwards, and the copy begins with the next
    /// number.</param>
    /// <param name="seen">What whoever loads it has to know of messages that came; empty for nothing.</param>
    /// <param name="asked">The numbers below this are confirmed when it was kept.</param>
    /// <returns>False when it has ended, or its numbers are nearly used up.</returns>
    public bool TryWrite(StateWriter writer, bool isLast, ReadOnlySpan<byte> seen, out ulong asked)
    {
        Span<byte> via = stackalloc byte[SessionSteering.MaxViaName];
        via = via[..(HasCid && Home.Steering is { } steering ? steering.NameVia(Path, via) : 0)];
        lock (Records)
        {
            asked = isLast || _confirmed == Unlimited ? Records.NextSequence
                : _confirmed + (_asks ? RecordLayer.NumbersOfReserve : 0);
            if (IsClosed || !Records.CanContinueAt(isLast ? asked + RecordLayer.NumbersOfReserve : asked))
            {
                return false;
            }

            writer.WriteNumber(Home.Time.GetUtcNow().UtcTicks);
            writer.WriteFlag(isLast && !_isInDoubt);
            writer.WriteNumber((long)Id);
            Records.Write(writer, asked);
            SavedSessions.Write(writer, this, seen, via);
            if (isLast)
            {
                Records.Limit(0);
            }

            return true;
        }
    }

    /// <summary>The keeper has kept it: it may count further.</summary>
    /// <param name="asked">What <see cref="TryWrite"/> said.</param>
    public void OnConfirmed(ulong asked)
    {
        bool hasWaited = false;
        lock (Records)
        {
            if (!IsClosed && asked > _confirmed)
            {
                Records.Extend(asked - _confirmed);
                _confirmed = asked;
                _asks = false;
                hasWaited = _isWaiting;
                Volatile.Write(ref _isWaiting, false);
            }
        }

        if (hasWaited)
        {
            Keeper.OnConfirmed(this);
        }
    }

    /// <summary>The client has answered a question that this process asked: what is older than the answer is refused from now on.</summary>
    /// <returns>The lowest number of a record that is taken.</returns>
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
            Keeper.Doubts.Receive(this, path, content, sequence);
        }
        else
        {
            base.Deliver(path, content, sequence);
        }
    }

    private SessionKeeper Keeper => Home.Keeper!;

    private protected override bool IsHeldUp => Records.IsAlmostUsedUp;

    private protected override bool FindsNumbers()
    {
        bool asks = false;
        bool waits;
        lock (Records)
        {
            if (IsClosed || !Records.IsRunningLow)
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
            Keeper.OnWaiting(this);
        }

        if (asks)
        {
            Keeper.OnAsked(this);
        }

        return true;
    }

    private protected override bool SendWhenFound(ReadOnlySpan<byte> content)
    {
        if (!IsWaiting)
        {
            // The keeper has confirmed them at once.
            return Send(content);
        }

        Keeper.EarlyMessages.Hold(this, content);
        if (!IsWaiting)
        {
            // Meanwhile.
            Keeper.EarlyMessages.Release(this);
        }

        return false;
    }
}
