using CoAP.NET.Diagnostics;
using CoAP.NET.Signalling;
using CoAP.NET.Tests.Messaging;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Signalling;

// Signalling in any order, from peers that mean harm and on several threads at once.
public sealed class SignallingCampaignTests : SignallingTest
{
    private static readonly string[] s_frames =
    [
        BareCsm, LargeCsm, "30e1220480", "10e1a0", Ping, CustodyPing, "11e24320", Pong, CustodyPong, Empty, GetX, GetX, GetSlow, GetSlow,
        "0445aabbccdd", "01437f",
        "d007e42d036578616d706c652e6f72673a35363833213c", Release, Abort, "60e52109ff626164", "10e190", "10e290", "00e8", "1001f0", "0021",
        "f0ffffffff45", "510110", "6101106101536f6273",
        "51011060536f6273",
    ];

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task Every_request_ends_and_nothing_is_left_behind_whatever_a_peer_sends()
    {
        Options.Limits.Connections.MaxRequests = 3;
        List<TaskCompletionSource<CoapResult>> answers = [];
        MapX();
        Server.MapGet("/obs", () => CoapResults.Text("1")).Observable();
        Server.MapGet("/slow", (CoapRequestContext _) =>
        {
            answers.Add(new TaskCompletionSource<CoapResult>());
            return answers[^1].Task;
        });
        await StartStreamsAsync();
        Random random = new(Campaign.Seed);
        int rounds = Campaign.Rounds(400);
        for (int round = 0; round < rounds; round++)
        {
            DirectConnection connection = random.Next(4) == 0 ? (await OpenAsync(null)).Connection : Streams.Accept();
            Task ended = CoAP.NET.Signalling.SignallingLayer.WhenEnded(connection.Channel!);
            int steps = random.Next(1, 30);
            for (int step = 0; step < steps && !connection.IsClosed; step++)
            {
                switch (random.Next(20))
                {
                    case 0:
                        Clock.Advance(FromSeconds(random.Next(200)));
                        break;
                    case 1:
                        await OnThread(() => Answer(answers));
                        break;
                    case 2:
                        connection.IsFull = !connection.IsFull;
                        break;
                    case 3 when random.Next(4) == 0:
                        connection.ReceiveEnd();
                        break;
                    case 4 when random.Next(4) == 0:
                        _ = CoapPeer.Of(connection.Channel!).ReleaseAsync();
                        break;
                    case 5:
                        _ = CoapPeer.Of(connection.Channel!).PingAsync().ContinueWith(static task => task.Exception, TaskScheduler.Default);
                        break;
                    default:
                        // A CSM comes first more often than not.
                        connection.Receive(step == 0 && random.Next(5) > 0 ? LargeCsm : s_frames[random.Next(s_frames.Length)]);
                        break;
                }
            }

            connection.Break();
            await Within(ended);
            await OnThread(() => Answer(answers));
            answers.Clear();
            Assert.Equal(0, connection.Requests!.Count);
            Assert.Equal(0, connection.Pauses);
            Assert.Equal(0, connection.Channel!.Pins);
            Assert.False(ConnectionSignallingState.Of(connection.Channel)!.IsScheduled);
        }

        Assert.Equal(0, Count(CoapCounter.StageErrors));
        Assert.Equal(0, Server.ObserverCount);
        Assert.Empty(Server.Endpoint.Pipelines[0].Connections.All());
        Assert.Equal(rounds, Count(CoapCounter.ConnectionsClosed));
    }

    // What reading goes on with when an answer has left may be a request that adds one more.
    private static void Answer(List<TaskCompletionSource<CoapResult>> answers)
    {
        for (int i = 0; i < answers.Count; i++)
        {
            answers[i].TrySetResult(CoapResults.Text("done"));
        }
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task A_response_and_a_Release_at_the_same_moment_are_sent_in_order()
    {
        TaskCompletionSource<CoapResult> answer = new();
        Server.MapGet("/slow", (CoapRequestContext _) => answer.Task);
        await StartStreamsAsync();
        int rounds = Campaign.Rounds(200);
        using Barrier barrier = new(2);
        Task answering = OnThread(() =>
        {
            for (int i = 0; i < rounds; i++)
            {
                barrier.SignalAndWait();
                answer.SetResult(CoapResults.Text("done"));
                barrier.SignalAndWait();
            }
        });
        for (int i = 0; i < rounds; i++)
        {
            answer = new TaskCompletionSource<CoapResult>();
            DirectConnection connection = Connect();
            connection.Receive(GetSlow);
            barrier.SignalAndWait();
            if (i % 2 == 0)
            {
                connection.Receive(CustodyPing + Release);
            }
            else
            {
                connection.ReceiveEnd();
            }

            barrier.SignalAndWait();
            Assert.Equal(i % 2 == 0 ? [AnswerSlow, CustodyPong, Empty] : [AnswerSlow, Empty], connection.TakeSent());
            Assert.True(connection.IsClosed);
        }

        await Within(answering);
    }
}
