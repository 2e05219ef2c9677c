using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Transports.Udp;
using CoAP.NET.Transports;

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
    public async Task Every_descriptor_is_given_back_whatever_became_of_its_connection()
    {
        CountingScheduler threads = new();
        await RunAsync(threads, 4);
        int before = Count();
        await RunAsync(threads, 60);
        await RunAsync(threads, 60);

        // Those of others, such as of the test platform, may come and go; hundreds of ours would show.
        Assert.InRange(Count(), 0, before + 10);
    }

    [LinuxFact]
    public async Task Without_a_free_descriptor_accepting_pauses_and_goes_on_later()
    {
        VirtualClock clock = new();
        LoopTestContext context = new() { Time = clock };
        await using CoapTcpTransport server = await ListenAsync(context);
        using StreamPeer other = await ConnectAsync(server);
        await HasServedAsync(other);
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        Limit before = default;
        Assert.Equal(0, GetLimit(OpenFiles, ref before));
        Limit low = before with { Current = (ulong)Count() + 20 };
        List<SocketHandle> filling = [];
        try
        {
            Assert.Equal(0, SetLimit(OpenFiles, ref low));
            for (int taken = LibC.OpenSocket(LibC.FamilyIPv4, LibC.Stream, 0); taken >= 0;
                taken = LibC.OpenSocket(LibC.FamilyIPv4, LibC.Stream, 0))
            {
                filling.Add(new SocketHandle(taken));
            }

            socket.Connect(At(server));
            await Eventually.IsTrueAsync(() => context.Counters[CoapCounter.AcceptFailures] > 0);

            await HasServedAsync(other);
            await HasServedAsync(other);
            Assert.Equal(1, context.Counters[CoapCounter.AcceptFailures]);
        }
        finally
        {
            _ = SetLimit(OpenFiles, ref before);
            filling.ForEach(static handle => handle.Dispose());
        }

        clock.Advance(TimeSpan.FromSeconds(1));
        await HasServedAsync(StreamPeer.Of(socket));
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
