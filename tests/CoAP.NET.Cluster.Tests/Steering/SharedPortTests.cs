using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Dtls;
using CoAP.NET.Tests;
using CoAP.NET.Transports;
using Xunit.Abstractions;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>Nodes of one machine at one port.</summary>
/// <param name="output">Says why nothing was looked at.</param>
public sealed class SharedPortTests(ITestOutputHelper output)
{
    private const int Devices = 12;
    private const int SolSocket = 1;
    private const int SoReuseAddress = 2;
    private const int SoReusePort = 15;
    private const int SoAttachReusePortFilter = 51;

    [Fact]
    public async Task Records_arrive_at_the_node_that_has_their_slot_also_after_nodes_came_and_went()
    {
        if (!CoapDtls.IsSupported || !OperatingSystem.IsLinux() || !KernelTakesFilters())
        {
            output.WriteLine("Not looked at: there is no OpenSSL, or the kernel refuses SO_ATTACH_REUSEPORT_CBPF.");
            return;
        }

        await Eventually.BindsAgainAsync(static async () =>
        {
            await using Site site = await Site.StartAsync(2, Devices, FreePort());
            await NothingIsRelayedAsync(site);
            await site.AddAsync();
            await site.FairAsync();
            await NothingIsRelayedAsync(site);

            // The last socket takes the index of the first.
            SiteNode old = site.Nodes[0];
            await old.Cluster.LeaveAsync();
            site.Nodes.RemoveAt(0);
            await old.DisposeAsync();
            await NothingIsRelayedAsync(site);
            site.AssertNobodyShookHandsAgain();
        });
    }

    [Fact]
    public async Task A_process_that_answers_nobody_does_not_keep_the_others_from_what_they_took_over()
    {
        if (!CoapDtls.IsSupported || !OperatingSystem.IsLinux() || !KernelTakesFilters())
        {
            output.WriteLine("Not looked at: there is no OpenSSL, or the kernel refuses SO_ATTACH_REUSEPORT_CBPF.");
            return;
        }

        await Eventually.BindsAgainAsync(static async () =>
        {
            int port = FreePort();
            await using Site site = await Site.StartAsync(2, Devices, port);
            using Socket silent = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            Share(silent);
            silent.Bind(new IPEndPoint(IPAddress.Loopback, port));
            await site.AddAsync();
            await site.FairAsync();
            await NothingIsRelayedAsync(site);
        });
    }

    [Fact]
    public void A_probe_is_answered_within_a_cluster_only()
    {
        byte[] nonce = [.. Enumerable.Range(0, SocketProbe.NonceLength).Select(static i => (byte)i)];
        SocketProbe ours = new(new byte[32]);
        SocketProbe others = new([.. Enumerable.Repeat((byte)1, 32)]);
        CoapNodeId node = CoapNodeId.New();
        byte[] probe = new byte[SocketProbe.Length];
        byte[] answer = new byte[SocketProbe.AnswerLength];
        ours.Write(probe, 3, nonce);
        Assert.True(CoapUdpSlotTable.TryReadProbe(probe, out byte index));
        Assert.Equal(3, index);
        Assert.False(others.TryAnswer(probe, node, 2, answer));
        Assert.True(ours.TryAnswer(probe, node, 2, answer));
        Assert.True(ours.TryRead(answer, nonce, out CoapNodeId read, out int sockets));
        Assert.Equal((node, 2), (read, sockets));
        Assert.False(others.TryRead(answer, nonce, out _, out _));
        Assert.False(ours.TryRead(answer, probe.AsSpan(0, SocketProbe.NonceLength), out _, out _));
        probe[10]++;
        Assert.False(ours.TryAnswer(probe, node, 2, answer));
        answer[20]++;
        Assert.False(ours.TryRead(answer, nonce, out _, out _));
    }

    // By addresses alone, one of twelve devices would always be at a node that does not have its slot.
    private static async Task NothingIsRelayedAsync(Site site)
    {
        using CancellationTokenSource guard = new(TimeSpan.FromMinutes(2));
        long before;
        do
        {
            guard.Token.ThrowIfCancellationRequested();
            before = Relayed(site);
            await Task.WhenAll(site.Devices.Select(site.AskAsync));
        }
        while (Relayed(site) != before);
    }

    private static long Relayed(Site site) => site.Nodes.Sum(static node => node.Cluster.GetNodeCounters().Relayed);

    private static bool KernelTakesFilters()
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        Share(socket);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));

        // One instruction: return what is the index of no socket.
        GCHandle instruction = GCHandle.Alloc((ulong[])[0xFFFF_FFFF_0000_0006], GCHandleType.Pinned);
        ReadOnlySpan<nint> program = [1, instruction.AddrOfPinnedObject()];
        try
        {
            socket.SetRawSocketOption(SolSocket, SoAttachReusePortFilter, MemoryMarshal.AsBytes(program));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
        finally
        {
            instruction.Free();
        }
    }

    private static void Share(Socket socket)
    {
        int on = 1;
        socket.SetRawSocketOption(SolSocket, SoReuseAddress, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(ref on)));
        socket.SetRawSocketOption(SolSocket, SoReusePort, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(ref on)));
    }

    private static int FreePort()
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }
}
