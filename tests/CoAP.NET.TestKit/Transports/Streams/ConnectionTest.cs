using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>A server on virtual time behind a <see cref="DirectStreamTransport"/>, and peers that are hexadecimal digits.</summary>
public abstract class ConnectionTest : EndpointTest
{
    /// <summary>Our CSM with default limits: Max-Message-Size 1 MiB, Block-Wise-Transfer, Extended-Token-Length 64.</summary>
    protected const string OurCsm = "70e123100000202140";

    /// <summary>A CSM that says nothing.</summary>
    protected const string BareCsm = "00e1";

    /// <summary>A CSM with Max-Message-Size 1 MiB and Block-Wise-Transfer.</summary>
    protected const string LargeCsm = "50e12310000020";

    private protected DirectStreamTransport Streams { get; } = new();

    private protected async Task StartStreamsAsync()
    {
        Server.Endpoint.AddTransport(Streams);
        await Server.StartAsync();
    }

    /// <summary>A peer that connected and sent its CSM; ours is taken out.</summary>
    private protected DirectConnection Connect(string csm = LargeCsm)
    {
        DirectConnection connection = Streams.Accept();
        connection.Receive(csm);
        connection.TakeSent();
        return connection;
    }

    /// <summary>Runs something on a thread without a context, so that what it completes goes on within it.</summary>
    private protected static Task OnThread(Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
