namespace CoAP.NET.Mesh;

/// <summary>
/// Knows whether anybody is inside a block, so that its <c>Completion</c> ends only when it processes nothing any more, as Dataflow
/// promises. Nearly always one thread, the one that receives, runs a block. It has a seat and writes a counter of its own without an
/// interlocked operation; other threads are guests and count with interlocked ones. A guest that comes often takes the seat over. Who
/// closes the gate, or takes a seat, pays for all: a barrier in every thread of the process stands for the one that the seat's thread
/// leaves out. A mutable struct: keep it in a field that is not read-only.
/// </summary>
internal struct InlineGate
{
    /// <summary>
    /// How often a guest passes before it takes the seat: the barrier of some microseconds vanishes in that many messages.
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

    /// <summary>Whether <see cref="TryClose"/> was not called yet.</summary>
    public readonly bool IsOpen => Volatile.Read(in _state) == Open;

    /// <summary>Goes in. Every success is paired with <see cref="Leave"/>; after a failure call <see cref="TryFinish"/>.</summary>
    /// <param name="seat">What <see cref="Leave"/> must get; null for a guest.</param>
    /// <returns>Whether the gate is open.</returns>
    public bool TryEnter(out InlineSeat? seat)
    {
        seat = Volatile.Read(ref _seat);
        if (seat is null || seat.Thread != Environment.CurrentManagedThreadId)
        {
            return TryEnterAsGuest(out seat);
        }

        // The write must be visible before the reads below; that is what the barrier of TryClose and TakeSeat is for.
        Volatile.Write(ref seat.Inside, seat.Inside + 1);
        if (Volatile.Read(ref _state) == Open && !Volatile.Read(ref seat.IsRevoked))
        {
            return true;
        }

        Volatile.Write(ref seat.Inside, seat.Inside - 1);
        return TryEnterAsGuest(out seat);
    }

    /// <summary>Goes out.</summary>
    /// <param name="seat">What <see cref="TryEnter"/> gave.</param>
    /// <returns>Whether the gate is closed, so that <see cref="TryFinish"/> must be called.</returns>
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

    /// <summary>Closes the gate: nobody gets in any more. The first caller goes on with <see cref="TryFinish"/>.</summary>
    /// <returns>Whether this was the first call.</returns>
    public bool TryClose()
    {
        lock (_lock)
        {
            if (_state != Open)
            {
                return false;
            }

            // After the first barrier nobody gets in unseen; after the second one nobody gets out unseen: either TryFinish here sees that
            // the last one left, or the last one sees that it has to finish.
            Volatile.Write(ref _state, Closing);
            Interlocked.MemoryBarrierProcessWide();
            Volatile.Write(ref _state, Draining);
            Interlocked.MemoryBarrierProcessWide();
            return true;
        }
    }

    /// <summary>Whether the gate is closed and everybody is out. True for exactly one caller, who then ends the block.</summary>
    /// <param name="evenIfInside">Do not wait for those who are inside.</param>
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

        // Lost counts between guests do not matter: somebody who comes often gets there.
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

            // After the barrier the old thread has either counted itself in its seat, which we see, or it will see that the seat was
            // revoked.
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
