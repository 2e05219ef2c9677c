using CoAP.NET.Diagnostics;
using CoAP.NET.QBlock;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Blocks of several operations that are mixed by somebody on the path (RFC 9175 section 3).</summary>
internal static class Fragments
{
    private const int BlockSize = 64;
    private const int SizeExponent = 2;
    private const int Blocks = 4;

    private static readonly CoapAddress s_peer = CoapAddress.FromIPv4(0xc633_6401, 4000);

    public static IEnumerable<AttackRow> Rows =>
    [
        new("fragments-upload", "Request fragment rearrangement: earlier final block, withheld first block, blocks of several uploads",
            "9175-3.3-1, 9175-3.4-1, 9175-3.5.1-1", UploadsAsync) { Plants = ["no-request-tags"] },
        new("fragments-download", "Response fragment mix", "7959-2.4-5, 9175-3.8-1", DownloadsAsync) { Plants = ["no-etags"] },
        new("q-block", "Q-Block multiplication: overlapping lists of missing blocks", "9177-4.4-2, 9177-11-1", MissingListsAsync),
    ];

    private static async Task UploadsAsync(AttackRun run)
    {
        List<byte[]> bodies = [];
        await using AttackServer server = await AttackServer.StartAsync(map: server => server.MapPut("/body", request =>
        {
            bodies.Add(request.Payload.ToArray());
            return CoapResults.Changed();
        }));
        CoapCode last = default;
        server.Wire.Sent = (in to, bytes) => last = new CoapCode(bytes[1] >> 5, bytes[1] & 0x1f);
        int id = 0;
        bool tags = !run.IsPlanted("no-request-tags");
        CoapCode Send(int upload, int block)
        {
            byte[] request = Forged.Message(
                CoapMethod.Put,
                "body",
                options: options =>
                {
                    options.Block1 = new BlockValue(block, block < Blocks - 1, SizeExponent);
                    if (tags)
                    {
                        options.Add(OptionNumber.RequestTag, [(byte)(upload >> 8), (byte)upload]);
                    }
                },
                payload: Forged.Pattern(upload, Blocks * BlockSize)[(block * BlockSize)..((block + 1) * BlockSize)]);
            last = default;
            server.Wire.Receive(s_peer, Forged.Stamp(request, ++id, (uint)id));
            server.Clock.Advance(TimeSpan.FromMilliseconds(20));
            return last;
        }

        // The final block of an earlier upload within a later one.
        for (int block = 0; block < Blocks; block++)
        {
            Send(1, block);
        }

        Send(2, 0);
        Send(2, 1);
        Send(2, 2);
        CoapCode earlier = Send(1, 3);
        CoapCode own = Send(2, 3);

        // The first block of an upload that was withheld, within a later one that lost its own.
        CoapCode held = Send(3, 0);
        CoapCode second = Send(4, 1);
        int before = bodies.Count;

        // Any order at all of the blocks of three uploads at a time, which are sent again as they were recorded.
        Dice dice = new(run.Seed);
        int steps = run.Size(100_000, 1200);
        int[] next = new int[3];
        int[] upload = [10, 11, 12];
        for (int i = 0; i < steps; i++)
        {
            int which = dice.Below(3);
            if (dice.Below(10) < 6)
            {
                Send(upload[which], next[which]);
                if (++next[which] == Blocks)
                {
                    next[which] = 0;
                    upload[which] += 3;
                }
            }
            else
            {
                Send(Math.Max(10, upload[which] - dice.Below(6)), dice.Below(Blocks));
            }
        }

        int mixed = bodies.Count(body => body.Length != Blocks * BlockSize
            || !Enumerable.Range(0, upload.Max() + 1)
                .Any(number => Forged.Pattern(number, Blocks * BlockSize).AsSpan().SequenceEqual(body)));
        run.Done =
            $"the final block of upload 1 in upload 2; the first of 3 before the second of 4; {steps:N0} blocks of three uploads in any "
                + $"order and again";
        run.Exactly("mixed bodies delivered", mixed, 0);
        run.Holds("the earlier final block is answered 4.08",
            earlier == CoapCode.RequestEntityIncomplete || run.IsPlanted("no-request-tags"));
        run.Holds("the upload that it was put into succeeds", own == CoapCode.Changed);
        run.Holds("a first block makes no second one of another upload fit",
            held == CoapCode.Continue && second == CoapCode.RequestEntityIncomplete);
        run.AtLeast("whole bodies delivered beside", bodies.Count - before, steps / 50);
    }

    private static async Task MissingListsAsync(AttackRun run)
    {
        int count = run.Size(2000, 50);
        byte[] Make(int id, int wishes = 200)
        {
            // For four blocks.
            byte[] request = Forged.Message(CoapMethod.Get, "large", CoapMessageType.NonConfirmable, options =>
            {
                for (int i = 0; i < wishes; i++)
                {
                    options.AddUInt(OptionNumber.QBlock2, new BlockValue(i / (wishes / 4), false, SizeExponent).Value);
                }
            });
            return Forged.Stamp(request, id, (uint)id).ToArray();
        }

        // By default nobody without security may use it.
        int answers = 0;
        int others = 0;
        await using (AttackServer server = await AttackServer.StartAsync())
        {
            server.Wire.Sent = (in to, bytes) =>
            {
                answers++;
                others += bytes[1] == 0x82 ? 0 : 1;
            };
            for (int i = 0; i < count; i++)
            {
                server.Wire.Receive(s_peer with { Port = (ushort)(1 + i) }, Make(i));
            }

            server.Clock.Advance(TimeSpan.FromMinutes(10));
        }

        int blocks = 0;
        int most = 0;
        await using AttackServer open = await AttackServer.StartAsync(options =>
        {
            options.UseQBlock(CoapQBlockPolicy.AllowUnsecured);
            options.Limits.Peers.TrustedPrefixes.Add(IPNetwork.Parse("198.51.100.0/24"));
        });
        open.Wire.Sent = (in to, bytes) => blocks++;
        for (int i = 0; i < Math.Min(count, 200); i++)
        {
            blocks = 0;
            open.Wire.Receive(s_peer, Make(i));
            open.Clock.Advance(TimeSpan.FromSeconds(30));
            most = Math.Max(most, blocks);
        }

        blocks = 0;
        open.Wire.Receive(s_peer, Make(1000, wishes: 4));
        open.Clock.Advance(TimeSpan.FromSeconds(30));

        run.Done =
            $"{count:N0} requests that name four blocks 200 times: to a server as it is by default, and to one that allows Q-Block without "
                + $"security";
        run.AtMost("answers by default, each 4.02 or a reset", answers, count);
        run.Exactly("others", others, 0);
        run.AtMost("datagrams for such a request where it is allowed", most, 4);
        run.Mention($"for one that names each once {blocks}");
    }

    private static async Task DownloadsAsync(AttackRun run)
    {
        const int blocks = 12;
        int downloads = run.Size(2000, 30);
        Dice dice = new(run.Seed);
        int mixed = 0;
        int whole = 0;
        int failed = 0;
        int version = 0;
        await using AttackClient client = new();
        for (int i = 0; i < downloads; i++)
        {
            Task<CoapResponse> task = client.Client.GetAsync(AttackClient.Uri);
            try
            {
                CoapResponse response = await client.ServeAsync(task, request =>
                {
                    // Every few blocks the representation is another one.
                    version += dice.Below(20) == 0 ? 1 : 0;
                    int number = Forged.Read(request).Options.Block2?.Number ?? 0;
                    byte[] body = Forged.Pattern(version, blocks * BlockSize);
                    client.Answer(request, CoapCode.Content, "", options =>
                    {
                        options.Block2 = new BlockValue(number, number < blocks - 1, SizeExponent);
                        if (!run.IsPlanted("no-etags"))
                        {
                            options.Add(OptionNumber.ETag, [(byte)(version >> 8), (byte)version]);
                        }
                    }, body: body[(number * BlockSize)..((number + 1) * BlockSize)]);
                });
                bool isWhole = Enumerable.Range(Math.Max(0, version - 20), 21)
                    .Any(one => Forged.Pattern(one, blocks * BlockSize).AsSpan().SequenceEqual(response.Payload.Span));
                whole += isWhole ? 1 : 0;
                mixed += isWhole ? 0 : 1;
            }
            catch (CoapException)
            {
                failed++;
            }

            client.Clear();
        }

        run.Done = $"{downloads:N0} downloads of {blocks} blocks from a resource that changes with every twentieth block";
        run.Exactly("mixed bodies delivered", mixed, 0);
        run.AtLeast("whole ones", whole, downloads / 2);
        run.Mention($"failed with an error {failed}");
        run.AtLeast("transfers that began anew", client.Counters[CoapCounter.TransferRestarts], downloads / 10);
    }
}
