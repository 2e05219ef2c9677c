using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>
/// Bodies of all sizes in blocks of all sizes, over paths that lose, double and delay. COAP_TEST_NETWORKS says how many runs (default 30),
/// COAP_TEST_SEED which.
/// </summary>
public sealed class BlockCampaignTests : BlockwiseTest
{
    private const int Peers = 4;

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("7959-2.5-7", "7959-2.5-4", "7959-2.3-4", "7959-2.4-3")]
    public async Task Bodies_are_never_mixed_under_loss_duplication_and_delay()
    {
        HashSet<string> sent = [];
        int received = 0;
        CoapResult Take(CoapRequestContext request)
        {
            Assert.Contains(Wire.Hex(request.Payload.Span), sent);
            received++;
            return CoapResults.Bytes(request.Payload);
        }

        async Task<CoapResult> TakeStreamAsync(CoapRequestContext request)
        {
            MemoryStream body = new();
            await request.BodyReader.CopyToAsync(body).ConfigureAwait(false);
            Assert.Contains(Wire.Hex(body.ToArray()), sent);
            received++;
            return CoapResults.Bytes(body.ToArray());
        }

        Server.MapPost("/whole", Take);
        Server.MapPost("/stream", TakeStreamAsync).WithStreamedBody();
        await StartAsync();
        int echoed = 0;
        for (int run = 0; run < EndpointCampaign.Networks; run++)
        {
            Random random = new(EndpointCampaign.Seed + run);
            Sender[] senders = [.. Enumerable.Range(0, Peers)
                .Select(i => new Sender(this, random, CoapAddress.FromIPv4(0x0a000000 + (uint)(run * Peers) + (uint)i, 5683)))];
            foreach (Sender sender in senders)
            {
                sent.Add(Wire.Hex(sender.Body));
            }

            for (int step = 0; step < 2000 && !senders.All(sender => sender.IsDone); step++)
            {
                senders[random.Next(Peers)].Step();
                if (random.Next(100) == 0)
                {
                    Clock.Advance(FromSeconds(random.Next(20)));
                }
            }

            echoed += senders.Count(sender => sender.IsDone);
        }

        Assert.True(received >= echoed && echoed > EndpointCampaign.Networks * Peers * 9 / 10, $"{received} received, {echoed} echoed");
        Assert.Equal(0, Server.Counters[CoapCounter.HandlerErrors]);
        AssertAllFreed();
    }

    /// <summary>A client that sends a body to be echoed, and fetches the echo. It forgets, repeats and reorders what it sends.</summary>
    private sealed class Sender
    {
        private readonly BlockCampaignTests _test;
        private readonly Random _random;
        private readonly CoapAddress _address;
        private readonly string _path;
        private readonly List<CoapMessage> _late = [];
        private int _exponent;
        private int _offset;
        private int _fetchExponent;
        private MemoryStream? _echo;

        public Sender(BlockCampaignTests test, Random random, CoapAddress address)
        {
            _test = test;
            _random = random;
            _address = address;
            _path = random.Next(2) == 0 ? "whole" : "stream";
            _exponent = random.Next(7);
            _fetchExponent = random.Next(7);
            Body = new byte[random.Next(1 + (40 << _exponent))];
            random.NextBytes(Body);
        }

        public byte[] Body { get; }

        public bool IsDone { get; private set; }

        public void Step()
        {
            if (IsDone)
            {
                return;
            }

            CoapMessage message = _echo is null ? NextBlock() : NextFetch();
            int fate = _random.Next(10);
            if (fate == 0)
            {
                // Lost on the way there.
                return;
            }

            CoapMessage? answer = _test.TrySend(message, _address);
            if (fate == 1)
            {
                // Comes again later, under a Message ID of its own, as nothing that a real client would.
                _late.Add(message);
            }

            if (_random.Next(20) == 0 && _late.Count > 0)
            {
                CoapMessage late = _late[0];
                _late.RemoveAt(0);
                if (late.Options.Block1 is { More: true, Number: > 0 })
                {
                    _test.TrySend(late, _address);
                }
            }

            if (fate == 2 || answer is null)
            {
                // Lost on the way back.
                return;
            }

            if (_echo is null)
            {
                OnAnswer(message, answer);
            }
            else
            {
                OnFetched(message, answer);
            }
        }

        private CoapMessage NextBlock()
        {
            // Smaller blocks in the middle, at the same place.
            if (_offset > 0 && _exponent > 0 && _random.Next(10) == 0)
            {
                _exponent--;
            }

            int end = Math.Min(Body.Length, _offset + (16 << _exponent));
            return Message(CoapMethod.Post, _path, options =>
            {
                options.ContentFormat = CoapContentFormat.OctetStream;
                options.Block1 = BlockValue.FromOffset(_offset, end < Body.Length, _exponent);
                options.Block2 = new BlockValue(0, false, _fetchExponent);
            }, Body[_offset..end]);
        }

        private void OnAnswer(CoapMessage message, CoapMessage answer)
        {
            if (answer.Code == CoapCode.Continue)
            {
                Assert.Equal(message.Options.Block1, answer.Options.Block1);
                _offset += message.Payload.Length;
            }
            else if (answer.Code == CoapCode.RequestEntityIncomplete)
            {
                // The last answer was lost, or the server waited too long.
                _offset = 0;
            }
            else
            {
                Assert.True(answer.Code == CoapCode.Content,
                    $"{answer} {_test.Logs.Entries.LastOrDefault(entry => entry.Level > Microsoft.Extensions.Logging.LogLevel.Debug)}");
                _echo = new MemoryStream();
                OnFetched(message, answer);
            }
        }

        private CoapMessage NextFetch() =>
            Message(CoapMethod.Post, _path, options => options.Block2 = BlockValue.FromOffset(_echo!.Length, false, _fetchExponent));

        private void OnFetched(CoapMessage message, CoapMessage answer)
        {
            if (answer.Code == CoapCode.RequestEntityIncomplete)
            {
                _echo = null;
                _offset = 0;
                return;
            }

            Assert.Equal(CoapCode.Content, answer.Code);
            Assert.Equal(_echo!.Length, answer.Options.Block2?.ByteOffset ?? 0);
            Assert.Equal(message.Options.Block2!.Value.SizeExponent, answer.Options.Block2?.SizeExponent ?? _fetchExponent);
            _echo.Write(answer.Payload.Span);
            if (answer.Options.Block2 is { More: true })
            {
                // Only at a place where a smaller block begins too, which is everywhere.
                _fetchExponent = _fetchExponent > 0 && _random.Next(10) == 0 ? _fetchExponent - 1 : _fetchExponent;
                return;
            }

            Assert.Equal(Body, _echo.ToArray());
            IsDone = true;
        }
    }
}
