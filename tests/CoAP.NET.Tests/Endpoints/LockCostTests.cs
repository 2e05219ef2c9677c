namespace CoAP.NET.Tests.Endpoints;

/// <summary>How often the lock of a shard is taken for a GET: what a promise about cost is counted by.</summary>
public sealed class ClientLockCostTests : ClientTest
{
    [Fact]
    public async Task The_request_of_a_client_takes_the_lock_three_times_to_leave_and_twice_for_its_response()
    {
        Options.Transports.Shards = 1;
        for (int i = 0; i < 5; i++)
        {
            long before = i == 0 ? 0 : Client.Endpoint.Pipelines[0].Shard.LocksTaken;
            Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/temperature");
            long sentAt = Client.Endpoint.Pipelines[0].Shard.LocksTaken;
            Sent sent = TakeOne();
            Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}ff32322e332043");
            long answeredAt = Client.Endpoint.Pipelines[0].Shard.LocksTaken;
            await Within(request).Says("22.3 C");
            if (i > 0)
            {
                // To register it; to take a Message ID; to keep its bytes for copies. Then to match the message, and to match the request.
                Assert.Equal((3, 2), (sentAt - before, answeredAt - sentAt));
            }
        }
    }
}

/// <summary>See <see cref="ClientLockCostTests"/>.</summary>
public sealed class ServerLockCostTests : EndpointTest
{
    [Theory]
    [InlineData("40", 3)]
    [InlineData("50", 2)]
    public async Task A_Confirmable_request_answered_at_once_takes_the_shard_lock_three_times_a_Non_confirmable_twice(
        string head, int locks)
    {
        Options.Transports.Shards = 1;
        Server.MapGet("/x", static () => "x");
        await StartAsync();
        for (int i = 1; i <= 5; i++)
        {
            long before = Server.Endpoint.Pipelines[0].Shard.LocksTaken;
            Assert.NotEmpty(Exchange($"{head}0100{i:x2}b178"));
            if (i > 1)
            {
                // To tell it from a copy; to answer with a Message ID; to keep the answer for copies, which a Non-confirmable one has not.
                Assert.Equal(locks, Server.Endpoint.Pipelines[0].Shard.LocksTaken - before);
            }
        }
    }
}
