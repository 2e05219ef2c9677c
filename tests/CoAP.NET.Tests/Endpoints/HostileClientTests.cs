using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A client whose servers, and others that pretend to be them, answer everything that can stand in a datagram.</summary>
public sealed class HostileClientTests
{
    private const int RequestsOfRound = 40;
    private static readonly CoapAddress[] s_servers = [
        .. Enumerable.Range(1, 4).Select(static i => CoapAddress.FromIPv4(0xc0000200u + (uint)i, 5683))];
    private static readonly CoapDatagramSerializer s_serializer = new(new CoapSerializerOptions { MaxTokenLength = 64 });
    private static readonly CoapDatagramSerializer s_generous =
        new(new CoapSerializerOptions { MaxTokenLength = CoapToken.MaxExtendedLength });

    private readonly VirtualClock _clock = new();
    private readonly DirectTransport _transport = new();

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("7252-5.3.2-1", "7252-5.3.2-3", "7252-4.4-2")]
    public async Task A_response_ends_only_its_own_request_and_each_request_ends_once()
    {
        await using CoapClient client = new(new CoapEndpointOptions
        {
            TimeProvider = _clock,
            Pipeline = { Random = new VirtualRandom((ulong)EndpointCampaign.Seed) },
            Parameters = CoapTransmissionParameters.Default with { NStart = 10 },
        });
        client.Endpoint.AddTransport(_transport);
        DatagramFuzzer fuzzer = new(EndpointCampaign.Seed, ["x"]);
        int responses = 0;
        int failures = 0;
        int perRound = 1000;
        for (int round = 0; round < Math.Max(1, EndpointCampaign.Datagrams / 2 / perRound); round++)
        {
            (int answered, int failed) = await RunAsync(client, fuzzer, perRound);
            responses += answered;
            failures += failed;
        }

        Assert.True(responses > 0 && failures > 0, $"{responses} responses, {failures} failures: the campaign does not try what it should");
        Assert.Equal(0, client.Endpoint.Counters[CoapCounter.StageErrors]);
        Assert.Equal(0, client.Endpoint.Counters[CoapCounter.EncodeErrors]);
    }

    private async Task<(int Responses, int Failures)> RunAsync(CoapClient client, DatagramFuzzer fuzzer, int datagrams)
    {
        Random random = fuzzer.Random;
        List<Pending> requests = [];
        for (int i = 0; i < RequestsOfRound; i++)
        {
            int server = i % s_servers.Length;
            CoapRequest request = new(random.Next(2) == 0 ? CoapMethod.Get : CoapMethod.Post, $"coap://192.0.2.{server + 1}/x")
            {
                Confirmable = random.Next(4) > 0
            };
            Task<CoapResponse> task = client.SendAsync(request);
            (CoapAddress remote, byte[] sent) = Assert.Single(_transport.TakeAll());
            requests.Add(new Pending(remote, s_serializer.Deserialize(sent), task));
        }

        // What may end a request: a response from its server with its token, and in an acknowledgement with its Message ID, too.
        HashSet<(CoapAddress, CoapToken, CoapCode, string)> sound = [];
        for (int i = 0; i < datagrams; i++)
        {
            Pending to = requests[random.Next(requests.Count)];
            CoapAddress from = random.Next(10) == 0 ? s_servers[random.Next(s_servers.Length)]
                : random.Next(10) == 0 ? CoapAddress.FromIPv4(0xc0000209, 5683) : to.Server;
            byte[] bytes = random.Next(20) == 0 ? fuzzer.Next(to.Message.MessageId) : Answer(to, fuzzer, requests);
            if (s_serializer.TryDeserialize(bytes, out CoapMessage? message, out _) && message.Code.IsResponse
                && (message.Type != CoapMessageType.Acknowledgement
                    || requests.Exists(request => request.Server == from && request.Message.Token == message.Token
                        && request.Message.MessageId == message.MessageId)))
            {
                sound.Add((from, message.Token, message.Code, Wire.Hex(message.Payload.Span)));
            }

            _transport.Receive(from, bytes);
            CheckSent(from, bytes);
            if (random.Next(200) == 0)
            {
                _clock.Advance(FromMilliseconds(random.Next(5000)));
                _transport.TakeAll();
            }
        }

        _clock.Advance(FromMinutes(20));
        _transport.TakeAll();
        int responses = 0;
        foreach (Pending request in requests)
        {
            try
            {
                CoapResponse response = await request.Task.WaitAsync(FromMinutes(2));
                Assert.Contains((request.Server, request.Message.Token, response.Code, Wire.Hex(response.Payload.Span)), sound);
                responses++;
            }
            catch (CoapException)
            {
                // Reset, answered by what must be rejected, or not answered at all.
            }
        }

        Assert.Equal(0, client.Endpoint.Pipelines[0].Messages.Outstanding);
        Assert.Equal(0, client.Endpoint.Pipelines[0].Messages.Waiting);
        Assert.All(client.Endpoint.Pipelines[0].Channels.All(), static channel => Assert.Equal(0, ExchangeLayer.PendingOf(channel)),
            throwIfEmpty: true);
        return (responses, requests.Count - responses);
    }

    /// <summary>Something near an answer to a request.</summary>
    private static byte[] Answer(Pending to, DatagramFuzzer fuzzer, List<Pending> requests)
    {
        Random random = fuzzer.Random;
        CoapMessage answer = new(random.Next(6) switch
        {
            0 => CoapCode.Changed,
            1 => CoapCode.NotFound,
            2 => CoapCode.Get,
            3 => CoapCode.Empty,
            _ => CoapCode.Content
        })
        {
            Type = (CoapMessageType)random.Next(4),
            MessageId = random.Next(2) == 0 ? to.Message.MessageId : (ushort)random.Next(0x10000),
        };
        if (!answer.Code.IsEmpty)
        {
            answer.Token = random.Next(6) == 0 ? requests[random.Next(requests.Count)].Message.Token : random.Next(2) == 0 ? default
                : to.Message.Token;
            answer.Payload = BitConverter.GetBytes(random.Next());
        }
        else if (random.Next(4) > 0)
        {
            // Not too many ends by Reset, so that there is something left to answer.
            answer.Type = CoapMessageType.Acknowledgement;
        }

        byte[] bytes = s_serializer.Serialize(answer);
        return random.Next(3) == 0 ? bytes : fuzzer.Break(bytes);
    }

    private void CheckSent(CoapAddress cause, byte[] bytes)
    {
        foreach ((CoapAddress remote, byte[] sent) in _transport.TakeAll())
        {
            CoapMessage answer = s_generous.Deserialize(sent);
            if (answer.Type is CoapMessageType.Acknowledgement or CoapMessageType.Reset)
            {
                string because = $"{Wire.Hex(sent)} to {remote}, after {Wire.Hex(bytes)} of {cause}";

                // A notification that nobody wants is rejected even when it is Non-confirmable (RFC 7641 section 3.5).
                bool isUnwanted = answer.Type == CoapMessageType.Reset && DatagramFuzzer.IsNonConfirmableNotification(bytes);
                Assert.True(remote == cause && (isUnwanted || ((bytes[0] >> 4) & 3) == 0)
                    && Wire.Hex(bytes.AsSpan(2, 2)) == Wire.Hex(sent.AsSpan(2, 2)), because);
                Assert.True(answer.Code.IsEmpty || new CoapCode(bytes[1]).IsRequest, because);
            }
        }
    }

    private sealed record Pending(CoapAddress Server, CoapMessage Message, Task<CoapResponse> Task);
}
