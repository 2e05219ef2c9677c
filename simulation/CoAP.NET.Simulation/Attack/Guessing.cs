using System.Numerics;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Who is not on the path between two endpoints guesses tokens, Message IDs and ports.</summary>
internal static class Guessing
{
    private const string Plant = "constant-random";

    public static IEnumerable<AttackRow> Rows =>
    [
        new("guess-entropy", "Token, Message ID and port guessing: entropy", "7252-5.3.1-2, 7252-5.3.1-3, 7252-4.4-3", EntropyAsync)
        {
            Plants = [Plant]
        },
        new("guess-response", "Off-path response injection by guesses", "7252-5.3.1-3, 7252-11.4-1", ResponsesAsync) { Plants = [Plant] },
        new("guess-reset", "RST and ACK spoofing against observers", "7252-4.4-3, 7641-3.6-1", ResetsAsync) { Plants = [Plant] },
    ];

    private static void Choose(AttackRun run, CoapEndpointOptions options)
    {
        if (run.IsPlanted(Plant))
        {
            options.Pipeline.Random = new ConstantRandom();
        }
    }

    private static async Task EntropyAsync(AttackRun run)
    {
        int count = run.Size(10_000, 4000);
        (List<uint> tokens, List<int> ids) = await CollectAsync(run, count);
        (List<uint> others, _) = await CollectAsync(run, 1000);
        int worstBit = Enumerable.Range(0, 32).Max(bit => Math.Abs(tokens.Count(token => ((token >> bit) & 1) != 0) - (count / 2)));
        double flips = tokens.Zip(tokens.Skip(1), (one, next) => BitOperations.PopCount(one ^ next)).Average();
        run.Done = $"{count:N0} requests, a second client, 500 peers, 16 sockets";
        run.Exactly("tokens that came twice", count - tokens.Distinct().Count(), 0);
        run.AtMost("worst bit of tokens, away from half", 100.0 * worstBit / count, run.Size(3, 4), " %");
        run.AtMost("bits that change from token to token, away from 16", Math.Abs(flips - 16), 0.2);
        run.AtMost("equal differences of following tokens",
            count - 1 - tokens.Zip(tokens.Skip(1), (one, next) => next - one).Distinct().Count(), 3);
        run.Exactly("tokens that a second client uses at the same place", others.Where((token, index) => tokens[index] == token).Count(),
            0);
        run.AtLeast("Message IDs that 500 peers are met with, distinct", ids.Distinct().Count(), 485);

        List<int> ports = [];
        for (int i = 0; i < 16; i++)
        {
            await using CoapServer server = new();
            server.Listen("coap://127.0.0.1:0");
            await server.StartAsync();
            ports.Add(server.Endpoint.LocalEndpoints[0].Port);
        }

        run.AtMost("ports that are the next after the one before",
            ports.Zip(ports.Skip(1)).Count(pair => pair.Second - pair.First is 1 or 2), 3);
    }

    // The tokens towards one server, and the first Message IDs towards many.
    private static async Task<(List<uint> Tokens, List<int> Ids)> CollectAsync(AttackRun run, int count)
    {
        await using AttackClient client = new(options => Choose(run, options));
        List<uint> tokens = [];
        List<int> ids = [];
        for (int i = 0; i < count; i++)
        {
            Task<CoapResponse> task = client.Client.GetAsync(AttackClient.Uri);
            byte[] request = await client.TakeAsync();
            tokens.Add(Forged.TokenOf(request));
            client.Answer(request, CoapCode.Content, "");
            await AttackClient.Within(task);

            // Message IDs come back after their lifetime.
            client.Clock.Advance(TimeSpan.FromMilliseconds(10));
        }

        for (int i = 0; i < 500; i++)
        {
            Task<CoapResponse> task =
                client.Client.GetAsync($"coap://198.51.100.{i % 250}:{5000 + (i / 250)}/x");
            byte[] request = await client.TakeAsync();
            ids.Add(Forged.MessageIdOf(request));
            client.Answer(request, CoapCode.Content, "",
                from: CoapAddress.FromIPv4(0xc633_6400 + ((uint)i % 250), (ushort)(5000 + (i / 250))));
            await AttackClient.Within(task);
        }

        return (tokens, ids);
    }

    private static async Task ResponsesAsync(AttackRun run)
    {
        int requests = run.Size(100, 4);
        int guesses = run.Size(20_000, 1000);
        await using AttackClient client = new(options => Choose(run, options));
        await using AttackClient own = new(options => Choose(run, options));
        Dice dice = new(run.Seed);
        int forged = 0;
        for (int i = 0; i < requests; i++)
        {
            Task<CoapResponse> task = client.Client.GetAsync(AttackClient.Uri);
            byte[] request = await client.TakeAsync();

            // What the attacker's own copy of the program says at this moment may be the same.
            Task<CoapResponse> copy = own.Client.GetAsync(AttackClient.Uri);
            byte[] like = await own.TakeAsync();
            client.Answer(like, CoapCode.Content, "forged");
            client.Wire.Receive(AttackClient.Server, Forged.Response(like, CoapMessageType.NonConfirmable, CoapCode.Content, "forged"));
            own.Answer(like, CoapCode.Content, "");
            await AttackClient.Within(copy);

            // The attacker knows addresses and ports of both ends. Guesses are spread over the second that the server takes to answer.
            for (int guess = 0; guess < guesses; guess++)
            {
                ulong chance = dice.Next();
                CoapMessageType type = (CoapMessageType)(guess % 3);
                byte[] response = Forged.Response(request, type, CoapCode.Content, "forged");
                client.Wire.Receive(AttackClient.Server, Forged.Stamp(response, (int)chance & 0xffff, (uint)(chance >> 32)));
            }

            client.Clock.Advance(TimeSpan.FromSeconds(1));
            client.Answer(request, CoapCode.Content, "honest");
            forged += (await AttackClient.Within(task)).GetText() == "honest" ? 0 : 1;
            client.Clear();
            own.Clear();
        }

        run.Done = $"{requests} requests, {guesses:N0} guesses a second against each, and what a copy of the program would say";
        run.Exactly("forged responses accepted", forged, 0);
        run.AtLeast("guesses refused",
            client.Counters[CoapCounter.UnmatchedAcknowledgements] + client.Counters[CoapCounter.UnmatchedResponses],
            requests * guesses / 2);
    }

    // The attacker observes, too, and so knows the Message IDs that the server uses towards himself: they must tell nothing of those
    // towards others.
    private static async Task ResetsAsync(AttackRun run)
    {
        int victims = run.Size(500, 60);
        const int guesses = 16;
        await using AttackServer server = await AttackServer.StartAsync(options => Choose(run, options));
        CoapAddress attacker = CoapAddress.FromIPv4(0x0b00_0001, 5683);
        int last = 0;
        server.Wire.Sent = (in to, bytes) =>
        {
            if (to == attacker && Forged.TypeOf(bytes) == CoapMessageType.Confirmable)
            {
                last = Forged.MessageIdOf(bytes);
            }
        };
        byte[] watch = Forged.Message(CoapMethod.Get, "watched", options: options => options.Observe = 0);
        server.Wire.Receive(attacker, Forged.Stamp(watch, 1, 1));
        for (uint i = 0; i < victims; i++)
        {
            server.Wire.Receive(CoapAddress.FromIPv4(0x0c00_0000 + i, 5683), Forged.Stamp(watch, 1, i));
        }

        server.Change();
        server.Clock.Advance(TimeSpan.FromMilliseconds(100));
        for (uint i = 0; i < victims; i++)
        {
            for (int guess = 0; guess < guesses; guess++)
            {
                server.Wire.Receive(CoapAddress.FromIPv4(0x0c00_0000 + i, 5683),
                    Forged.Empty(CoapMessageType.Reset, last - (guesses / 2) + guess));
            }
        }

        run.Done = $"{victims} observers, {guesses} resets against each around the Message ID that the attacker was sent himself";
        run.Holds("the attacker saw a Message ID", last != 0 || run.IsPlanted(Plant));
        run.AtMost("observers lost", victims + 1 - server.Server.ObserverCount, 1);
    }
}

/// <summary>No chance at all: a planted defect, as of a device without a source of entropy.</summary>
internal sealed class ConstantRandom : CoapRandomSource
{
    public override void Fill(Span<byte> destination) => destination.Fill(0x2a);
}
