using System.IO.Pipelines;
using CoAP.NET.Diagnostics;
using CoAP.NET.QBlock;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>
/// Sessions that end in the midst of something: it ends with an error that says so, or is done again in a new session, and nothing of it is
/// left.
/// </summary>
public sealed class EndInTheMidstTests
{
    private const int BodyLength = 200_000;

    private static readonly TimeSpan s_hangLimit = FromMinutes(2);
    private static readonly byte[] s_body = [.. Enumerable.Range(0, BodyLength).Select(i => (byte)(i ^ (i >> 8)))];

    private readonly DatagramGate _gate = new();

    /// <summary>How a session ends.</summary>
    public enum Ending
    {
        /// <summary>The client closes it.</summary>
        ByClient,

        /// <summary>The server closes it.</summary>
        ByServer,

        /// <summary>The server has no room for it.</summary>
        Evicted,

        /// <summary>The client makes another one over the same ports.</summary>
        Replaced,
    }

    public static TheoryData<Ending> Endings { get; } = new(Enum.GetValues<Ending>());

    public static TheoryData<Ending, CoapQBlockPolicy> EndingsOfBodies { get; } = Pairs();

    [Theory]
    [MemberData(nameof(EndingsOfBodies))]
    public async Task An_upload_interrupted_by_the_end_of_the_session_fails_or_is_repeated(Ending ending, CoapQBlockPolicy qBlock)
    {
        int size = BufferBalance.NextSize();
        await using (SecureEndpoints secure = Secure(size, qBlock))
        {
            byte[]? stored = null;
            secure.Server.MapPut("/body", request =>
            {
                stored = request.Payload.ToArray();
                return CoapResults.Changed();
            });
            await secure.StartAsync();
            CoapClient client = await ClientAsync(secure, size, qBlock);
            CoapRequest put = new(CoapMethod.Put, $"{secure.Host}/body")
            {
                Confirmable = qBlock == CoapQBlockPolicy.Off,
                Content = CoapContent.Binary(s_body)
            };

            CoapResponse? response = await OutcomeAsync(() => client.SendAsync(put), secure, client, ending);

            Assert.True(response is null || (response.Code == CoapCode.Changed && stored.AsSpan().SequenceEqual(s_body)));
            await EndAsync(secure, client);
        }

        await Eventually.IsTrueAsync(() => BufferBalance.Out(size) == 0);
    }

    [Theory]
    [MemberData(nameof(EndingsOfBodies))]
    public async Task A_download_interrupted_by_the_end_of_the_session_fails_or_is_repeated(Ending ending, CoapQBlockPolicy qBlock)
    {
        int size = BufferBalance.NextSize();
        await using (SecureEndpoints secure = Secure(size, qBlock))
        {
            secure.Server.MapGet("/body", () => CoapResults.Bytes(s_body));
            await secure.StartAsync();
            CoapClient client = await ClientAsync(secure, size, qBlock);
            CoapRequest get = new(CoapMethod.Get, $"{secure.Host}/body") { Confirmable = qBlock == CoapQBlockPolicy.Off };

            CoapResponse? response = await OutcomeAsync(() => client.SendAsync(get), secure, client, ending);

            Assert.True(response is null || response.Payload.Span.SequenceEqual(s_body));
            await EndAsync(secure, client);
        }

        await Eventually.IsTrueAsync(() => BufferBalance.Out(size) == 0);
    }

    [Theory]
    [MemberData(nameof(Endings))]
    public async Task A_streamed_download_interrupted_by_the_end_of_the_session_fails_or_is_complete(Ending ending)
    {
        int size = BufferBalance.NextSize();
        await using (SecureEndpoints secure = Secure(size))
        {
            secure.Server.MapGet("/body", () => CoapResults.Bytes(s_body));
            await secure.StartAsync();
            CoapClient client = await ClientAsync(secure, size);
            using MemoryStream read = new();
            await using (CoapResponseBodyStream stream = await client.OpenReadAsync($"{secure.Host}/body").WaitAsync(s_hangLimit))
            {
                byte[] part = new byte[5_000];
                await stream.ReadExactlyAsync(part).AsTask().WaitAsync(s_hangLimit);
                read.Write(part);
                await CauseAsync(secure, client, ending);
                try
                {
                    await stream.CopyToAsync(read).WaitAsync(s_hangLimit);
                    Assert.True(read.ToArray().AsSpan().SequenceEqual(s_body));
                }
                catch (Exception exception) when ((exception as CoapException ?? exception.InnerException) is CoapException)
                {
                    Assert.True(s_body.AsSpan().StartsWith(read.ToArray()));
                }
            }

            await EndAsync(secure, client);
        }

        await Eventually.IsTrueAsync(() => BufferBalance.Out(size) == 0);
    }

    [Theory]
    [MemberData(nameof(Endings))]
    public async Task A_streamed_upload_interrupted_by_the_end_of_the_session_also_ends_for_its_handler(Ending ending)
    {
        int size = BufferBalance.NextSize();
        await using (SecureEndpoints secure = Secure(size))
        {
            TaskCompletionSource began = new(RunContinuationsAsynchronously);
            TaskCompletionSource ended = new(RunContinuationsAsynchronously);
            TaskCompletionSource goesOn = new(RunContinuationsAsynchronously);
            secure.Server.MapPut("/body", async (request, cancellationToken) =>
            {
                try
                {
                    ReadResult first = await request.BodyReader.ReadAtLeastAsync(100, cancellationToken);
                    request.BodyReader.AdvanceTo(first.Buffer.End);
                    began.TrySetResult();
                    await goesOn.Task;
                    await request.BodyReader.CopyToAsync(Stream.Null, cancellationToken);
                    return CoapResults.Changed();
                }
                finally
                {
                    ended.TrySetResult();
                }
            }).WithStreamedBody();
            await secure.StartAsync();
            CoapClient client = await ClientAsync(secure, size);
            Task<CoapResponse> put = client.PutAsync($"{secure.Host}/body", CoapContent.Binary(s_body));
            await began.Task.WaitAsync(s_hangLimit);
            await CauseAsync(secure, client, ending);
            goesOn.SetResult();

            await EndsAsync(put);
            await ended.Task.WaitAsync(s_hangLimit);
            await EndAsync(secure, client);
        }

        await Eventually.IsTrueAsync(() => BufferBalance.Out(size) == 0);
    }

    [Theory]
    [MemberData(nameof(Endings))]
    public async Task A_request_whose_session_ends_before_the_separate_response_fails_or_is_repeated(Ending ending)
    {
        int size = BufferBalance.NextSize();
        await using (SecureEndpoints secure = Secure(size))
        {
            TaskCompletionSource answer = new(RunContinuationsAsynchronously);
            secure.Server.MapGet("/late", async (_, cancellationToken) =>
            {
                await answer.Task.WaitAsync(cancellationToken);
                return CoapResults.Text("late");
            });
            await secure.StartAsync();
            CoapClient client = await ClientAsync(secure, size);
            Task<CoapResponse> get = client.GetAsync($"{secure.Host}/late");
            await Eventually.IsTrueAsync(() => secure.Server.Endpoint.Served.Count == 1
                && client.Endpoint.Pipelines.Sum(pipeline => pipeline.Messages.Outstanding) == 0);
            await CauseAsync(secure, client, ending);
            answer.SetResult();

            CoapResponse? response = await EndsAsync(get);
            Assert.True(response is null || response.GetText() == "late");
            Assert.Equal(1, client.Endpoint.Counters[CoapCounter.RequestsRepeated]);
            await EndAsync(secure, client);
        }

        await Eventually.IsTrueAsync(() => BufferBalance.Out(size) == 0);
    }

    [Theory]
    [MemberData(nameof(Endings))]
    public async Task An_observation_continues_in_a_new_session(Ending ending)
    {
        int state = 0;
        int size = BufferBalance.NextSize();
        await using (SecureEndpoints secure = Secure(size))
        {
            CoapRouteHandlerBuilder route = secure.Server.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref state)}"))
                .Observable();
            await secure.StartAsync();
            CoapClient client = await ClientAsync(secure, size);
            await using (CoapObservation observation = await client.ObserveAsync($"{secure.Host}/state").WaitAsync(s_hangLimit))
            {
                await CauseAsync(secure, client, ending);
                await Eventually.IsTrueAsync(() => client.Endpoint.Counters[CoapCounter.Reregistrations] == 1
                    && secure.Server.ObserverCount == 1);
                Volatile.Write(ref state, 1);
                route.Notify();
                await Eventually.IsTrueAsync(() => observation.Latest?.GetText() == "1");
            }

            await EndAsync(secure, client);
            Assert.Equal(0, secure.Server.ObserverCount);
        }

        await Eventually.IsTrueAsync(() => BufferBalance.Out(size) == 0);
    }

    private static TheoryData<Ending, CoapQBlockPolicy> Pairs()
    {
        TheoryData<Ending, CoapQBlockPolicy> all = [];
        foreach (Ending ending in Enum.GetValues<Ending>())
        {
            all.Add(ending, CoapQBlockPolicy.Off);
            all.Add(ending, CoapQBlockPolicy.Secured);
        }

        return all;
    }

    // Ends the session when a part of the body has gone, and gives what came of it: a response, or null for an error that says that the
    // session has ended. Nothing goes on meanwhile: the body may be faster than whoever watches it.
    private async Task<CoapResponse?> OutcomeAsync(Func<Task<CoapResponse>> ask, SecureEndpoints secure, CoapClient client, Ending ending)
    {
        _gate.CloseAfter(20);
        Task<CoapResponse> asked = ask();
        await _gate.Closed.WaitAsync(s_hangLimit);
        Assert.False(asked.IsCompleted, $"It has ended already: {asked.Exception}");
        await CauseAsync(secure, client, ending);
        _gate.Open();
        return await EndsAsync(asked);
    }

    private static async Task<CoapResponse?> EndsAsync(Task<CoapResponse> asked)
    {
        try
        {
            return await asked.WaitAsync(s_hangLimit);
        }
        catch (CoapConnectionException)
        {
            return null;
        }
    }

    private static async Task CauseAsync(SecureEndpoints secure, CoapClient client, Ending ending)
    {
        DtlsChannelSession ours = (DtlsChannelSession)client.Endpoint.ConnectedPeers.Single().Connection!;
        DtlsServer server = secure.Transport.Engine!.Server!;
        DtlsSession theirs = ((DtlsChannelSession)secure.Server.Endpoint.ConnectedPeers.Single().Connection!).Session;
        switch (ending)
        {
            case Ending.ByClient:
                ours.Close(null);
                break;
            case Ending.ByServer:
                server.End(theirs, DtlsSessionEndReason.Closed, tells: true);
                break;
            case Ending.Evicted:
                server.End(theirs, DtlsSessionEndReason.Evicted, tells: true);
                break;
            default:
                DtlsClient own = ((CoapDtlsTransport)ours.Transport).Engine!.Client!;
                await own.ConnectAsync(ours.Session.Path, null, CancellationToken.None).WaitAsync(s_hangLimit);
                break;
        }

        await Eventually.IsTrueAsync(() => ours.Session.IsClosed && theirs.IsClosed);
    }

    private static async Task EndAsync(SecureEndpoints secure, CoapClient client)
    {
        await client.GetAsync($"{secure.Host}/hello").WaitAsync(s_hangLimit).Says("hello");
        await Eventually.IsTrueAsync(() => secure.Server.Endpoint.Served.Count == 0);
        foreach (CoapPeer peer in client.Endpoint.ConnectedPeers)
        {
            await peer.ReleaseAsync().WaitAsync(s_hangLimit);
        }

        await Eventually.IsTrueAsync(() => secure.Server.Endpoint.ConnectedPeers.Count == 0);
        Assert.Equal(0, secure.Transport.Engine!.Server!.SessionCount);
        Assert.Empty(client.Endpoint.ConnectedPeers);
        await Eventually.IsTrueAsync(() => LeftOver(secure.Server.Endpoint) + LeftOver(client.Endpoint) == 0);
    }

    private static int LeftOver(CoapEndpoint endpoint) =>
        endpoint.Pipelines.Sum(pipeline => pipeline.Messages.Outstanding + pipeline.Messages.Waiting + pipeline.Blockwise.Requests.Count);

    private SecureEndpoints Secure(int size, CoapQBlockPolicy qBlock = CoapQBlockPolicy.Off) => new(endpoint: options =>
    {
        options.Pipeline.Insert(CoapStageLinks.TransportToChannel, () => new GateBlock<CoapDatagram>(_gate.Passes));
        options.Limits.Messages.MaxDatagramSize = size;
        options.UseQBlock(qBlock);
        options.Parameters = CoapTransmissionParameters.Default with
        {
            PiggybackWindow = FromMilliseconds(20),
            NonTimeout = FromMilliseconds(50)
        };
    });

    private static async Task<CoapClient> ClientAsync(SecureEndpoints secure, int size, CoapQBlockPolicy qBlock = CoapQBlockPolicy.Off)
    {
        CoapClient client = secure.Client(endpoint: options =>
        {
            options.Limits.Messages.MaxDatagramSize = size;
            options.UseQBlock(qBlock);
            options.Parameters = CoapTransmissionParameters.Default with { NonTimeout = FromMilliseconds(50) };
        });
        await client.GetAsync($"{secure.Host}/hello");
        return client;
    }
}
