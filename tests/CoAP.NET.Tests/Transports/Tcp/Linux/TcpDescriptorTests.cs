using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Transports.Udp;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneInTheProcess
{
    public const string Name = "Alone in the process";
}

/// <summary>The descriptors of the process are counted, so nothing else may run.</summary>
[Collection(AloneInTheProcess.Name)]
public class TcpDescriptorTests : LinuxTcpTest
{
    private const int OpenFiles = 7;

    [LinuxFact]
    public async Task Every_descriptor_is_closed_however_its_connection_ends()
    {
        CountingScheduler threads = new();
        await RunAsync(threads, 4);
        int before = Count();
        await RunAsync(threads, 60);
        await RunAsync(threads, 60);

        // Those of others, such as of the test platform, may come and go; hundreds of ours would show.
        Assert.InRange(Count(), 0, before + 10);
    }

    // The last ones stay free: a runtime that starts a thread without one stands still, and the test with it. What happens when there is
    // none at all is tried in a process of its own (the campaign "machine").
    [LinuxFact]
    public async Task A_server_without_free_descriptors_pauses_accepting_and_accepts_again_a_second_later()
    {
        VirtualClock clock = new();
        LoopTestContext context = new() { Time = clock };
        await using CoapTcpTransport server = await ListenAsync(context, handsOver: false);
        using StreamPeer other = await ConnectAsync(server);
        await HasServedAsync(other);
        Limit before = default;
        Assert.Equal(0, GetLimit(OpenFiles, ref before));
        Limit low = before with { Current = (ulong)Highest() + 200 };
        List<SocketHandle> filling = [];
        List<StreamPeer> peers = [];
        try
        {
            Assert.Equal(0, SetLimit(OpenFiles, ref low));

            // Another thread may give a descriptor back in between, which the connection gets then.
            while (context.Counters[CoapCounter.AcceptFailures] == 0)
            {
                Fill(filling);
                peers.Add(await ConnectAsync(server));
                await HasServedAsync(other);
            }

            await HasServedAsync(other);
            Assert.Equal(1, context.Counters[CoapCounter.AcceptFailures]);
        }
        finally
        {
            _ = SetLimit(OpenFiles, ref before);
            filling.ForEach(static handle => handle.Dispose());
        }

        // The one that was not accepted was closed.
        Assert.Equal(0, await peers[^1].Socket.ReceiveAsync(new byte[1]).WaitAsync(Hang));
        StreamPeer waiting = await ConnectAsync(server);
        peers.Add(waiting);
        clock.Advance(FromSeconds(1));
        await HasServedAsync(waiting);
        peers.ForEach(static peer => peer.Dispose());
    }

    private static int Highest() => Directory.GetFileSystemEntries("/proc/self/fd").Max(static path => int.Parse(Path.GetFileName(path)));

    private static void Fill(List<SocketHandle> filling)
    {
        while (true)
        {
            int taken = LibC.OpenSocket(LibC.FamilyIPv4, LibC.Stream, 0);
            Assert.True(taken >= 0);
            filling.Add(new SocketHandle(taken));
            if (FileDescriptorHeadroom.IsTouchedBy(taken))
            {
                return;
            }
        }
    }

    private static int Count() => Directory.GetFileSystemEntries("/proc/self/fd").Length;

    private static async Task RunAsync(CountingScheduler threads, int count)
    {
        LoopTestContext context = new() { Shards = 2, Threads = threads };
        context.OnOpened = connection => connection.Remote.Port % 5 != 0;
        CoapTcpTransport server = await ListenAsync(context);
        LoopTestContext clientContext = new() { OnFrame = static (_, frame) => frame.Dispose(), Threads = threads };
        CoapTcpTransport client = await ClientAsync(clientContext);
        CoapAddress remote = CoapAddress.FromIPEndPoint(At(server));
        CoapAddress nobody = remote with { Port = 1 };
        StreamPeer[] peers = await Task.WhenAll(Enumerable.Range(0, count).Select(_ => ConnectAsync(server)));
        CoapConnection[] ours =
            await Task.WhenAll(Enumerable.Range(0, count).Select(_ => client.ConnectAsync(remote, null, CancellationToken.None).AsTask()));
        for (int i = 0; i < count; i++)
        {
            ours[i].Send(LoopTestContext.Copy(StreamPeer.Frame(1000)));
            if (i % 3 == 0)
            {
                peers[i].Reset();
                ours[i].Close(null);
            }
            else if (i % 3 == 1)
            {
                peers[i].Dispose();
                ours[i].Send(LoopTestContext.Copy(Wire.Hex("00e5"), isLast: true));
            }

            await Assert.ThrowsAsync<CoapConnectionException>(
                () => client.ConnectAsync(nobody, null, CancellationToken.None).AsTask().WaitAsync(Hang));
        }

        // While the rest is at work.
        await Task.WhenAll(client.DisposeAsync().AsTask(), server.DisposeAsync().AsTask()).WaitAsync(Hang);
        Array.ForEach(peers, static peer => peer.Dispose());
        Assert.Equal(context.OpenedOnes.Reader.Count, context.ClosedOnes.Reader.Count);
        Assert.Equal(clientContext.OpenedOnes.Reader.Count, clientContext.ClosedOnes.Reader.Count);

        // The loop that clients share stays a little longer.
        await threads.WhenAtMostAsync(1);
    }

    [DllImport("libc", EntryPoint = "getrlimit")]
    private static extern int GetLimit(int resource, ref Limit limit);

    [DllImport("libc", EntryPoint = "setrlimit")]
    private static extern int SetLimit(int resource, ref Limit limit);

    private record struct Limit(ulong Current, ulong Most);
}
