namespace CoAP.NET.Mesh;

/// <summary>
/// Counts the threads inside a block, so that <c>Completion</c> ends only when the block processes nothing any more, as Dataflow promises.
/// Nearly always a single thread, the receiving one, runs a block. It has a seat and counts without interlocked operations. Other threads
/// are guests and count with interlocked operations. A frequent guest takes over the seat. Closing the gate, or taking a seat, costs a
/// process-wide memory barrier in place of the one that the thread of the seat omits. A mutable struct: keep it in a field that is not
/// read-only.
/// </summary>
internal struct InlineGate
{
    /// <summary>
    /// After so many passes a guest takes the seat. The barrier of some microseconds is negligible in that many messages.
    /// </summary>
    internal const int PassesForSeat = 16_384;

    private const int Open = 0;
    private const int Closing = 1;
    private const int Draining = 2;
    private const int Finished = 3;

    private readonly Lock _lock = new();

    private InlineSeat? _seat;
    private int _state;
    private int _guests;
    private int _guestPasses;

    // Guarded by _lock: seats that were taken over while their thread was inside.
    private List<InlineSeat>? _retired;

    public InlineGate()
    {
    }

    /// <summary>Whether <see cref="TryClose"/> has not been called yet.</summary>
    public readonly bool IsOpen => Volatile.Read(in _state) == Open;

    /// <summary>Enters. Pair every success with <see cref="Leave"/>; after a failure call <see cref="TryFinish"/>.</summary>
    /// <param name="seat">The argument for <see cref="Leave"/>; null for a guest.</param>
    /// <returns>Whether the gate is open.</returns>
    public bool TryEnter(out InlineSeat? seat)
    {
        seat = Volatile.Read(ref _seat);
        if (seat is null || seat.Thread != Environment.CurrentManagedThreadId)
        {
            return TryEnterAsGuest(out seat);
        }

        // The write must be visible before the reads below. The barrier of TryClose and TakeSeat guarantees this.
        Volatile.Write(ref seat.Inside, seat.Inside + 1);
        if (Volatile.Read(ref _state) == Open && !Volatile.Read(ref seat.IsRevoked))
        {
            return true;
        }

        Volatile.Write(ref seat.Inside, seat.Inside - 1);
        return TryEnterAsGuest(out seat);
    }

    /// <summary>Leaves.</summary>
    /// <param name="seat">The seat from <see cref="TryEnter"/>.</param>
    /// <returns>Whether the gate is closed, so the caller must call <see cref="TryFinish"/>.</returns>
    public bool Leave(InlineSeat? seat)
    {
        if (seat is null)
        {
            Interlocked.Decrement(ref _guests);
        }
        else
        {
            Volatile.Write(ref seat.Inside, seat.Inside - 1);
        }

        return Volatile.Read(ref _state) != Open;
    }

    /// <summary>Closes the gate for all further threads. The first caller continues with <see cref="TryFinish"/>.</summary>
    /// <returns>Whether this was the first call.</returns>
    public bool TryClose()
    {
        lock (_lock)
        {
            if (_state != Open)
            {
                return false;
            }

            // After the first barrier no thread enters unseen; after the second one no thread leaves unseen. Either TryFinish here sees
            // that the last thread left, or the last thread sees that it must finish.
            Volatile.Write(ref _state, Closing);
            Interlocked.MemoryBarrierProcessWide();
            Volatile.Write(ref _state, Draining);
            Interlocked.MemoryBarrierProcessWide();
            return true;
        }
    }

    /// <summary>Whether the gate is closed and empty. Exactly one caller gets true and then ends the block.</summary>
    /// <param name="evenIfInside">Whether to ignore threads that are still inside.</param>
    public bool TryFinish(bool evenIfInside = false)
    {
        if (Volatile.Read(ref _state) is Open or Finished)
        {
            return false;
        }

        lock (_lock)
        {
            if (_state != Draining || (!evenIfInside && IsAnybodyInside()))
            {
                return false;
            }

            _state = Finished;
            return true;
        }
    }

    private readonly bool IsAnybodyInside()
    {
        if (Volatile.Read(in _guests) != 0 || (_seat is not null && Volatile.Read(ref _seat.Inside) != 0))
        {
            return true;
        }

        return _retired is not null && _retired.Exists(static seat => Volatile.Read(ref seat.Inside) != 0);
    }

    private bool TryEnterAsGuest(out InlineSeat? seat)
    {
        seat = null;
        Interlocked.Increment(ref _guests);
        if (Volatile.Read(ref _state) != Open)
        {
            Interlocked.Decrement(ref _guests);
            return false;
        }

        // Lost counts between guests do not matter: a frequent guest gets there.
        if (_seat is null || ++_guestPasses >= PassesForSeat)
        {
            TakeSeat(Environment.CurrentManagedThreadId);
        }

        return true;
    }

    private void TakeSeat(int thread)
    {
        lock (_lock)
        {
            _guestPasses = 0;
            InlineSeat? old = _seat;
            if (_state != Open || old?.Thread == thread)
            {
                return;
            }

            Volatile.Write(ref _seat, new InlineSeat(thread));
            if (old is null)
            {
                return;
            }

            // After the barrier, either the old thread has counted itself in its seat, which is visible here, or it will see that the seat
            // was revoked.
            Volatile.Write(ref old.IsRevoked, true);
            Interlocked.MemoryBarrierProcessWide();
            _retired?.RemoveAll(static seat => Volatile.Read(ref seat.Inside) == 0);
            if (Volatile.Read(ref old.Inside) != 0)
            {
                (_retired ??= []).Add(old);
            }
        }
    }
}
