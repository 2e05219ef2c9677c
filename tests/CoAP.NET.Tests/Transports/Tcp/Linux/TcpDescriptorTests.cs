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
    [LinuxFact]
    public async Task Every_descriptor_is_given_back_whatever_became_of_its_connection()
    {
        await RunAsync(4);
        int before = Count();
        await RunAsync(60);
        await RunAsync(60);

        // Those of others, such as of the test platform, may come and go; hundreds of ours would show.
        Assert.InRange(Count(), 0, before + 10);
    }

    private static int Count() => Directory.GetFileSystemEntries("/proc/self/fd").Length;

    private static async Task RunAsync(int count)
    {
        LoopTestContext context = new() { Shards = 2 };
        context.OnOpened = connection => connection.Remote.Port % 5 != 0;
        CoapTcpTransport server = await ListenAsync(context);
        LoopTestContext clientContext = new() { OnFrame = static (_, frame) => frame.Dispose(), Threads = context.Threads };
        CoapTcpTransport client = await ClientAsync(clientContext);
        CoapAddress remote = CoapAddress.FromIPEndPoint(At(server));
        CoapAddress nobody = remote with { Port = 1 };
        StreamPeer[] peers = await Task.WhenAll(Enumerable.Range(0, count).Select(_ => ConnectAsync(server)));
        CoapConnection[] ours = await Task.WhenAll(Enumerable.Range(0, count).Select(_ => client.ConnectAsync(remote, null, CancellationToken.None).AsTask()));
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

            await Assert.ThrowsAsync<CoapConnectionException>(() => client.ConnectAsync(nobody, null, CancellationToken.None).AsTask().WaitAsync(Hang));
        }

        // While the rest is at work.
        await Task.WhenAll(client.DisposeAsync().AsTask(), server.DisposeAsync().AsTask()).WaitAsync(Hang);
        Array.ForEach(peers, static peer => peer.Dispose());
        Assert.Equal(context.OpenedOnes.Reader.Count, context.ClosedOnes.Reader.Count);
        Assert.Equal(clientContext.OpenedOnes.Reader.Count, clientContext.ClosedOnes.Reader.Count);
        await context.Threads.WhenAtMostAsync(0);
    }
}
