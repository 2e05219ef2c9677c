using System.Buffers.Binary;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>
/// The program in classic BPF that the kernel runs for each datagram to a shared port. It returns the index of a socket. For an index
/// without a socket the kernel chooses by hash, so an outdated table loses no datagram.
/// </summary>
internal static class ReusePortFilter
{
    /// <summary>
    /// The maximum number of sockets of a slot: 256 slots, each with different sockets, still fit in the 4,096 instructions of a program.
    /// </summary>
    public const int MaxSocketsOfSlot = 6;

    private const ushort LoadLength = 0x80;
    private const ushort LoadWord = 0x20;
    private const ushort LoadHalf = 0x28;
    private const ushort LoadByte = 0x30;
    private const ushort Jump = 0x05;
    private const ushort JumpIfEqual = 0x15;
    private const ushort JumpIfGreaterOrEqual = 0x35;
    private const ushort Modulo = 0x94;
    private const ushort Return = 0x06;
    private const ushort ReturnValue = 0x16;
    private const uint ByHash = uint.MaxValue;

    // Offsets in a record with a Connection ID.
    private const uint EpochAt = 3;
    private const uint ProbeEndAt = 7;
    private const uint IndexAt = 10;
    private const uint SlotAt = 11;
    private const uint ChoiceAt = 12;
    private const uint Tls12Cid = 25;

    // A jump of this distance or more leads to the choice among the sockets of a slot, which follows the search. No program is that long.
    private const uint ToChoice = 0x8000_0000;

    // Epoch 65535, and the beginning of a sequence number.
    private const uint Probe = 0xFFFF_5370;
    private const ushort ProbeEnd = 0x7274;

    /// <summary>Makes the kernel choose by a table among all sockets at the address and port of one of them.</summary>
    /// <param name="socket">The socket; bound with SO_REUSEPORT.</param>
    /// <param name="table">The table.</param>
    /// <param name="refusal">The kernel's error; null for success, and when the socket is closed.</param>
    /// <returns>Whether the table is in effect from now on.</returns>
    public static unsafe bool TryAttach(Socket socket, CoapUdpSlotTable table, out SocketException? refusal)
    {
        refusal = null;
        BpfInstruction[] program = Make(table);
        fixed (BpfInstruction* instructions = program)
        {
            // struct sock_fprog: the number of instructions, and where they are.
            ReadOnlySpan<nint> value = [program.Length, (nint)instructions];
            try
            {
                socket.SetRawSocketOption(LibC.SolSocket, LibC.SoAttachReusePortFilter, MemoryMarshal.AsBytes(value));
                return true;
            }
            catch (ObjectDisposedException)
            {
                return false;
            }
            catch (SocketException exception)
            {
                refusal = exception;
                return false;
            }
        }
    }

    /// <summary>Returns the remedy for a refusal of the kernel.</summary>
    /// <param name="error">The kernel's error.</param>
    public static string AdviceFor(SocketError error) => error switch
    {
        SocketError.AccessDenied =>
            "A seccomp profile or a security module forbids it, as in a container: allow setsockopt with level 1 and option 51.",
        SocketError.ProtocolOption or SocketError.OperationNotSupported or SocketError.InvalidArgument =>
            "This kernel does not support it (Linux before 4.5, gVisor): use another one, or give each process a port of its own, with a "
                + "balancer in front.",
        _ => "If the kernel has no memory for it, raise net.core.optmem_max.",
    };

    /// <summary>Creates the program.</summary>
    /// <param name="table">The table.</param>
    /// <returns>Its instructions.</returns>
    public static BpfInstruction[] Make(CoapUdpSlotTable table)
    {
        List<int> runs = [0];
        for (int slot = 1; slot < CoapUdpSlotTable.SlotCount; slot++)
        {
            if (!table.SocketsOf(slot).SequenceEqual(table.SocketsOf(slot - 1)))
            {
                runs.Add(slot);
            }
        }

        // Slots of one node have the same sockets. One section of the program chooses among them. Many kernels accept no more than 20 KiB
        // (net.core.optmem_max), which a section for each run would exceed.
        List<byte[]> shared = [.. runs.Select(slot => table.SocketsOf(slot).ToArray()).Where(static sockets => sockets.Length > 1)
            .GroupBy(Convert.ToHexString, static sockets => sockets).Where(static group => group.Skip(1).Any())
            .Select(static group => group.First())];

        // A load beyond the end would end the program with index 0, so short datagrams are handled first.
        List<BpfInstruction> program =
        [
            new(LoadLength, 0),
            new(JumpIfGreaterOrEqual, ChoiceAt + 1, 1, 0),
            new(Return, ByHash),
            new(LoadByte, 0),
            new(JumpIfEqual, Tls12Cid, 1, 0),
            new(Return, ByHash),
            new(LoadWord, EpochAt),
            new(JumpIfEqual, Probe, 0, 4),
            new(LoadHalf, ProbeEndAt),
            new(JumpIfEqual, ProbeEnd, 0, 2),
            new(LoadByte, IndexAt),
            new(ReturnValue, 0),
            new(LoadByte, SlotAt),
            .. Search(table, shared, runs, 0, runs.Count),
        ];
        int[] starts = new int[shared.Count];
        for (int i = 0; i < starts.Length; i++)
        {
            starts[i] = program.Count;
            program.AddRange(Choose(shared[i]));
        }

        for (int i = 0; i < program.Count; i++)
        {
            if (program[i] is { Code: Jump, Value: >= ToChoice } jump)
            {
                program[i] = new(Jump, (uint)(starts[jump.Value - ToChoice] - i - 1));
            }
        }

        return [.. program];
    }

    /// <inheritdoc cref="CoapUdpSlotTable.WriteProbe"/>
    public static void WriteProbe(Span<byte> destination, byte index)
    {
        if (destination.Length < CoapUdpSlotTable.ProbeLength)
        {
            throw new ArgumentException($"A probe has {CoapUdpSlotTable.ProbeLength} bytes.", nameof(destination));
        }

        destination[..CoapUdpSlotTable.ProbeLength].Clear();
        destination[0] = (byte)Tls12Cid;
        BinaryPrimitives.WriteUInt16BigEndian(destination[1..], 0xFEFD);
        BinaryPrimitives.WriteUInt32BigEndian(destination[(int)EpochAt..], Probe);
        BinaryPrimitives.WriteUInt16BigEndian(destination[(int)ProbeEndAt..], ProbeEnd);
        destination[(int)IndexAt] = index;
    }

    /// <inheritdoc cref="CoapUdpSlotTable.TryReadProbe"/>
    public static bool TryReadProbe(ReadOnlySpan<byte> datagram, out byte index)
    {
        bool isProbe = datagram.Length >= CoapUdpSlotTable.ProbeLength && datagram[0] == Tls12Cid
            && BinaryPrimitives.ReadUInt32BigEndian(datagram[(int)EpochAt..]) == Probe
            && BinaryPrimitives.ReadUInt16BigEndian(datagram[(int)ProbeEndAt..]) == ProbeEnd;
        index = isProbe ? datagram[(int)IndexAt] : (byte)0;
        return isProbe;
    }

    // A binary search over runs of slots with the same sockets. Conditional jumps reach 255 instructions only.
    private static List<BpfInstruction> Search(CoapUdpSlotTable table, List<byte[]> shared, List<int> runs, int from, int to)
    {
        if (to - from == 1)
        {
            byte[] sockets = table.SocketsOf(runs[from]).ToArray();
            int place = shared.FindIndex(one => one.AsSpan().SequenceEqual(sockets));
            return place < 0 ? Choose(sockets) : [new(Jump, ToChoice + (uint)place)];
        }

        int middle = (from + to) / 2;
        List<BpfInstruction> lower = Search(table, shared, runs, from, middle);
        List<BpfInstruction> upper = Search(table, shared, runs, middle, to);
        return lower.Count <= byte.MaxValue
            ? [new(JumpIfGreaterOrEqual, (uint)runs[middle], (byte)lower.Count, 0), .. lower, .. upper]
            : [new(JumpIfGreaterOrEqual, (uint)runs[middle], 0, 1), new(Jump, (uint)lower.Count), .. lower, .. upper];
    }

    // The second byte of a Connection ID is random, and the same for all records of a session.
    private static List<BpfInstruction> Choose(ReadOnlySpan<byte> sockets)
    {
        if (sockets.Length < 2)
        {
            return [new(Return, sockets.IsEmpty ? ByHash : sockets[0])];
        }

        List<BpfInstruction> choice = [new(LoadByte, ChoiceAt), new(Modulo, (uint)sockets.Length)];
        for (int i = 0; i < sockets.Length - 1; i++)
        {
            choice.Add(new(JumpIfEqual, (uint)i, 0, 1));
            choice.Add(new(Return, sockets[i]));
        }

        choice.Add(new(Return, sockets[^1]));
        return choice;
    }
}
