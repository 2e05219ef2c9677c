namespace CoAP.NET.Speed.Raw;

/// <summary>
/// Memory for datagrams that are received or sent by one call. Nothing of it is checked: it is as quick as the same in C.
/// </summary>
internal sealed unsafe class DatagramBatch : IDisposable
{
    /// <summary>Room for one datagram; no power of two, as all of them would share a few lines of the cache.</summary>
    public const int Room = 2048 + 64;

    private const int ControlSize = 32;
    private const int ConnectionRefused = 111;

    private readonly byte* _memory;
    private readonly BatchEntry* _entries;
    private readonly BatchPiece* _pieces;
    private readonly byte* _names;
    private readonly byte* _controls;
    private readonly byte* _buffers;
    private readonly bool _hasAddresses;

    /// <summary>Makes one.</summary>
    /// <param name="capacity">How many datagrams it holds.</param>
    /// <param name="hasNames">Whether each has the address of the other side; otherwise the socket is connected.</param>
    /// <param name="hasAddresses">Whether each has the address of this side.</param>
    public DatagramBatch(int capacity, bool hasNames = true, bool hasAddresses = false)
    {
        _hasAddresses = hasAddresses;
        Capacity = capacity;
        int one = sizeof(BatchEntry) + sizeof(BatchPiece) + Native.AddressSize + ControlSize + Room;
        _memory = (byte*)NativeMemory.AlignedAlloc((nuint)(one * capacity), 64);
        NativeMemory.Clear(_memory, (nuint)(one * capacity));
        _buffers = _memory;
        _entries = (BatchEntry*)(_buffers + (Room * capacity));
        _pieces = (BatchPiece*)(_entries + capacity);
        _controls = (byte*)(_pieces + capacity);
        _names = _controls + (ControlSize * capacity);
        for (int i = 0; i < capacity; i++)
        {
            _pieces[i] = new BatchPiece { Bytes = Bytes(i), Length = Room };
            _entries[i] = new BatchEntry { Pieces = _pieces + i, PieceCount = 1 };
            if (hasNames)
            {
                _entries[i].Name = _names + (i * Native.AddressSize);
                _entries[i].NameLength = Native.AddressSize;
            }

            if (hasAddresses)
            {
                // struct cmsghdr, and a struct in_pktinfo in it
                byte* control = _controls + (i * ControlSize);
                _entries[i].Control = control;
                _entries[i].ControlLength = ControlSize;
                *(long*)control = sizeof(long) + (2 * sizeof(int)) + 12;
                ((int*)control)[2] = Native.LevelIP;
                ((int*)control)[3] = Native.PacketInfo;
            }
        }
    }

    public int Capacity { get; }

    /// <summary>The bytes of a datagram.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Bytes(int index) => _buffers + (index * Room);

    /// <summary>The length of a datagram that was received.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Length(int index) => (int)_entries[index].Length;

    /// <summary>Whether one came from 127/8.</summary>
    public bool IsFromLoopback(int index) => _names[(index * Native.AddressSize) + 4] == 127;

    /// <summary>Says the length of one to be sent.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void SetLength(int index, int length) => _pieces[index].Length = length;

    /// <summary>Says the address that one is sent from, as it is in memory.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void SetSource(int index, uint address) => *(uint*)(_controls + (index * ControlSize) + 20) = address;

    /// <summary>The address that one was sent to, as it is in memory; for sockets that tell.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public uint Destination(int index) => *(uint*)(_controls + (index * ControlSize) + 24);

    /// <summary>Says where all of them go.</summary>
    public void SetDestination(IPEndPoint remote)
    {
        for (int i = 0; i < Capacity; i++)
        {
            Native.Write(_names + (i * Native.AddressSize), remote.Address, remote.Port);
        }
    }

    /// <summary>Says that all of them go where a datagram came from.</summary>
    public void SetDestinations(DatagramBatch received, int index)
    {
        for (int i = 0; i < Capacity; i++)
        {
            Buffer.MemoryCopy(received._entries[index].Name, _names + (i * Native.AddressSize), Native.AddressSize, Native.AddressSize);
        }
    }

    /// <summary>
    /// Has a datagram answered: this one of the answers goes where that one came from, and from where that one went, and is in the same
    /// memory.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AnswerIn(DatagramBatch requests, int request, int index, int length)
    {
        _entries[index].Name = requests._entries[request].Name;
        _entries[index].Control = requests._entries[request].Control;
        _entries[index].ControlLength = requests._entries[request].ControlLength;
        _pieces[index] = new BatchPiece { Bytes = requests.Bytes(request), Length = length };
    }

    /// <summary>Receives what there is; how many, or -1 when there is nothing.</summary>
    public int Receive(int socket, int flags)
    {
        if (_hasAddresses)
        {
            // It says how much was filled in of each.
            for (int i = 0; i < Capacity; i++)
            {
                _entries[i].ControlLength = ControlSize;
            }
        }

        int count = Native.ReceiveMany(socket, _entries, (uint)Capacity, flags, null);
        return count >= 0 || LibC.LastError is LibC.Again or LibC.Interrupted or ConnectionRefused ? count : LibC.Check(count);
    }

    /// <summary>Sends the first ones.</summary>
    /// <returns>How many could not be sent.</returns>
    public int Send(int socket, int count)
    {
        int failed = 0;
        for (int first = 0; first < count;)
        {
            int sent = Native.SendMany(socket, _entries + first, (uint)(count - first), 0);
            if (sent <= 0)
            {
                // As if it had been lost on the way.
                failed++;
                sent = 1;
            }

            first += sent;
        }

        return failed;
    }

    public void Dispose() => NativeMemory.AlignedFree(_memory);
}
