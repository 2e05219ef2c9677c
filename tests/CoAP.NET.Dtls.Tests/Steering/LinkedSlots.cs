namespace CoAP.NET.Dtls.Tests.Steering;

/// <summary>Who has which slot, of several servers of a process; numbers are from 1. Thread-safe.</summary>
internal sealed class LinkedSlots
{
    private readonly Lock _gate = new();
    private readonly int[] _owners;
    private readonly bool[] _isMoving = new bool[256];
    private readonly LinkedSteering[] _servers;
    private readonly List<(byte Slot, int At, CoapAddress Remote, byte[] Datagram)> _held = [];

    public LinkedSlots(int count)
    {
        _servers = [.. Enumerable.Range(1, count).Select(number => new LinkedSteering(this, number))];
        _owners = [.. Enumerable.Range(0, 256).Select(slot => 1 + (slot % count))];
    }

    public LinkedSteering this[int number] => _servers[number - 1];

    public byte? SlotOf(int owner, int next)
    {
        lock (_gate)
        {
            // Few, so that some sessions share one.
            byte[] own = [.. Enumerable.Range(0, 24).Where(slot => _owners[slot] == owner && !_isMoving[slot])
                .Select(static slot => (byte)slot)];
            return own.Length == 0 ? null : own[next % own.Length];
        }
    }

    /// <summary>Who has a slot, or releases it.</summary>
    public LinkedSteering OwnerOf(byte slot)
    {
        lock (_gate)
        {
            return this[_owners[slot]];
        }
    }

    /// <summary>Holds a datagram while its slot is under way.</summary>
    public bool TryHold(byte slot, int at, CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        lock (_gate)
        {
            if (_isMoving[slot])
            {
                _held.Add((slot, at, remote, datagram.ToArray()));
            }

            return _isMoving[slot];
        }
    }

    /// <summary>Hands a slot over.</summary>
    public async Task MoveAsync(byte slot, int to)
    {
        LinkedSteering from;
        lock (_gate)
        {
            from = this[_owners[slot]];
            if (from == this[to])
            {
                return;
            }

            _isMoving[slot] = true;
        }

        await from.Port.ReleaseAsync(slot, default);
        ReadOnlyMemory<byte>[] states;
        lock (from.Backup.States)
        {
            ulong[] moved = [.. from.Backup.States.Keys.Where(id => (byte)(id >> 56) == slot)];
            states = [.. moved.Select(id => from.Backup.States[id])];
            Array.ForEach(moved, id => from.Backup.States.Remove(id));
        }

        Assert.All(states, state => Assert.Equal(CoapDtlsSessionLoad.Loaded, this[to].Backup.Loader.TryLoad(state.Span)));
        (byte Slot, int At, CoapAddress Remote, byte[] Datagram)[] arrived;
        lock (_gate)
        {
            _owners[slot] = to;
            _isMoving[slot] = false;
            arrived = [.. _held.Where(held => held.Slot == slot)];
            _held.RemoveAll(held => held.Slot == slot);
        }

        Array.ForEach(arrived, held => this[to].Port.Receive(held.At == to ? 0 : held.At, held.Remote, held.Datagram));
    }
}
