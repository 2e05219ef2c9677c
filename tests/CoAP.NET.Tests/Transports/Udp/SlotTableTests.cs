using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>The kernel brings records to sockets by their slots.</summary>
/// <param name="output">Says why nothing was looked at.</param>
public sealed class SlotTableTests(ITestOutputHelper output)
{
    private const int Count = 5;
    private static readonly TimeSpan s_long = TimeSpan.FromMinutes(2);

    [Fact]
    public void All_records_arrive_at_the_socket_of_their_slot_and_everything_else_by_hash()
    {
        if (Open(out IPEndPoint address) is not { } sockets)
        {
            return;
        }

        CoapUdpSlotTable table = new();
        for (int slot = 0; slot < 250; slot++)
        {
            table.Set((byte)slot, (byte)(slot * 7 % Count));
        }

        Assert.True(ReusePortFilter.TryAttach(sockets[3], table, out _));
        using Socket client = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        for (int i = 0; i < 1_000; i++)
        {
            int slot = i % 250;
            client.SendTo(Record((byte)slot, i), address);
            Assert.Equal(i, Receive(sockets[slot * 7 % Count]));
        }

        // Too short for a slot, of another type, of a slot without sockets: nothing is lost.
        byte[][] others = [[25], Record(0, 0)[..12], [0x40, 1, 0, 1], [22, .. Record(0, 0)[1..]], Record(250, 0)];
        foreach (byte[] other in others)
        {
            for (int i = 0; i < 64; i++)
            {
                using Socket further = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
                further.SendTo(other, address);
            }

            int[] got = [.. sockets.Select(Drain)];
            Assert.Equal(64, got.Sum());
            Assert.True(got.Count(static one => one > 0) > 1, string.Join(' ', got));
        }

        Close(sockets);
    }

    [Fact]
    public void A_slot_of_several_sockets_uses_all_and_a_session_stays_at_one()
    {
        if (Open(out IPEndPoint address) is not { } sockets)
        {
            return;
        }

        CoapUdpSlotTable table = new();
        for (int slot = 0; slot < CoapUdpSlotTable.SlotCount; slot++)
        {
            // No two are the same: the longest program there is.
            byte[] all = [0, (byte)(slot % 5), (byte)(slot / 5 % 5), (byte)(slot / 25 % 5), (byte)(slot / 125), 4];
            table.Set((byte)slot, all);
        }

        Assert.InRange(ReusePortFilter.Make(table).Length, 3_000, 4_096);
        Assert.True(ReusePortFilter.TryAttach(sockets[0], table, out _));
        using Socket client = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        for (int second = 0; second < 60; second++)
        {
            byte[] record = Record(201, second);
            record[12] = (byte)second;
            client.SendTo(record, address);
            client.SendTo(record, address);
            Socket expected = sockets[((int[])[0, 201 % 5, 201 / 5 % 5, 201 / 25 % 5, 201 / 125, 4])[second % 6]];
            Assert.Equal(second, Receive(expected));
            Assert.Equal(second, Receive(expected));
        }

        Close(sockets);
    }

    [Fact]
    public void Slots_of_the_same_sockets_share_what_chooses_among_them_so_that_small_kernels_take_the_program()
    {
        if (Open(out IPEndPoint address) is not { } sockets)
        {
            return;
        }

        // Two processes whose slots alternate.
        CoapUdpSlotTable table = new();
        for (int slot = 0; slot < CoapUdpSlotTable.SlotCount; slot++)
        {
            table.Set((byte)slot, slot % 2 == 0 ? [0, 1] : [2, 3, 4]);
        }

        // net.core.optmem_max was 20 KiB by default, and an instruction takes one or two of the kernel's own, of 8 bytes each.
        Assert.InRange(ReusePortFilter.Make(table).Length, 256, 20 * 1024 / 16);
        Assert.True(ReusePortFilter.TryAttach(sockets[0], table, out _));
        using Socket client = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        for (int i = 0; i < 512; i++)
        {
            byte[] record = Record((byte)i, i);
            record[12] = (byte)(i / 2);
            client.SendTo(record, address);
            Assert.Equal(i, Receive(sockets[i % 2 == 0 ? record[12] % 2 : 2 + (record[12] % 3)]));
        }

        Close(sockets);
    }

    [Fact]
    public void A_probe_finds_each_index_also_after_a_socket_has_closed()
    {
        if (Open(out IPEndPoint address) is not { } sockets)
        {
            return;
        }

        Assert.True(ReusePortFilter.TryAttach(sockets[0], new CoapUdpSlotTable(), out _));
        Assert.Equal([0, 1, 2, 3, 4], FindAll(sockets, address));
        sockets[1].Dispose();
        Assert.Equal([0, -1, 2, 3, 1], FindAll(sockets, address));

        // What names an index that is not there any more goes somewhere.
        CoapUdpSlotTable table = new();
        table.Set(9, 4);
        Assert.True(ReusePortFilter.TryAttach(sockets[0], table, out _));
        using Socket client = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        client.SendTo(Record(9, 1), address);
        Assert.Equal(1, sockets.Where(static (_, i) => i != 1).Sum(Drain));
        Close(sockets);
    }

    [Fact]
    public void No_datagram_is_lost_while_tables_change()
    {
        if (Open(out IPEndPoint address) is not { } sockets)
        {
            return;
        }

        using Socket client = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        using CancellationTokenSource end = new();
        int tables = 0;
        Thread changes = new(() =>
        {
            while (!end.IsCancellationRequested)
            {
                CoapUdpSlotTable table = new();
                for (int slot = 0; slot < CoapUdpSlotTable.SlotCount; slot++)
                {
                    table.Set((byte)slot, (byte)((slot + tables) % (Count + 2)));
                }

                Assert.True(ReusePortFilter.TryAttach(sockets[tables % Count], table, out _));
                tables++;
            }
        });
        changes.Start();
        int got = 0;
        for (int i = 0; i < 4_000 || Volatile.Read(ref tables) < 2; i++)
        {
            client.SendTo(Record((byte)i, i), address);
            int here = sockets.Sum(Drain);
            Assert.Equal(1, here);
            got += here;
        }

        end.Cancel();
        changes.Join();
        Assert.True(got >= 4_000);
        Close(sockets);
    }

    private static int[] FindAll(Socket[] sockets, IPEndPoint address)
    {
        int[] found = [.. sockets.Select(static _ => -1)];
        using Socket client = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        int open = sockets.Count(static socket => socket.SafeHandle is { IsClosed: false });
        for (int index = 0; index < open; index++)
        {
            byte[] probe = new byte[40];
            CoapUdpSlotTable.WriteProbe(probe, (byte)index);
            Assert.True(CoapUdpSlotTable.TryReadProbe(probe, out byte read));
            Assert.Equal(index, read);
            client.SendTo(probe, address);
            for (int i = 0; i < sockets.Length; i++)
            {
                if (!sockets[i].SafeHandle.IsClosed && Drain(sockets[i]) > 0)
                {
                    found[i] = index;
                }
            }
        }

        return found;
    }

    private static byte[] Record(byte slot, int content)
    {
        byte[] record = [25, 0xFE, 0xFD, 0, 1, 0, 0, 0, 0, 0, 7, slot, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0];
        BitConverter.TryWriteBytes(record.AsSpan(21), content);
        return record;
    }

    private static int Receive(Socket socket)
    {
        byte[] bytes = new byte[100];
        socket.Blocking = true;
        int length = socket.Receive(bytes);
        return BitConverter.ToInt32(bytes, length - 4);
    }

    // Loopback delivers before the call that sends returns.
    private static int Drain(Socket socket)
    {
        byte[] bytes = new byte[100];
        int count = 0;
        for (; socket.Available > 0; count++)
        {
            socket.Receive(bytes);
        }

        return count;
    }

    private Socket[]? Open(out IPEndPoint address)
    {
        address = new IPEndPoint(IPAddress.Loopback, 0);
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        Socket[] sockets = new Socket[Count];
        for (int i = 0; i < Count; i++)
        {
            sockets[i] = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
            {
                ReceiveTimeout = (int)s_long.TotalMilliseconds,
            };
            int on = 1;
            sockets[i].SetRawSocketOption(LibC.SolSocket, LibC.SoReusePort, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(ref on)));
            sockets[i].Bind(address);
            address = (IPEndPoint)sockets[i].LocalEndPoint!;
        }

        if (ReusePortFilter.TryAttach(sockets[0], new CoapUdpSlotTable(), out _))
        {
            return sockets;
        }

        Close(sockets);
        output.WriteLine("Not looked at: this kernel refuses SO_ATTACH_REUSEPORT_CBPF.");
        return null;
    }

    private static void Close(Socket[] sockets) => Array.ForEach(sockets, static socket => socket.Dispose());
}
