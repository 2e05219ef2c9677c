using CoAP.NET.Caching;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Somebody tries to have a client keep, or give away, what it should not.</summary>
internal static class Caches
{
    public static IEnumerable<AttackRow> Rows =>
        [new("cache", "Cached data leakage and cache poisoning", "7252-5.6-1, 7252-5.6.2-1, 7252-5.3.2-1", RunAsync)];

    private static async Task RunAsync(AttackRun run)
    {
        CoapCache cache = new();
        await using AttackClient client = new(options => options.Cache = cache);
        async Task<string> AskAsync(string uri, string answer, CoapAddress from, Action<CoapOptionCollection>? options = null,
            Action<byte[]>? before = null)
        {
            Task<CoapResponse> task = client.Client.GetAsync(uri);
            if (task.IsCompleted)
            {
                return (await task).GetText();
            }

            byte[] request = await client.TakeAsync();
            before?.Invoke(request);
            client.Answer(request, CoapCode.Content, answer, options, from);
            return (await AttackClient.Within(task)).GetText();
        }

        // The same path of other hosts, ports and queries.
        int leaked = 0;
        for (int host = 1; host <= 20; host++)
        {
            foreach (int port in new[] { 5683, 5684 })
            {
                string name = $"{host}:{port}";
                CoapAddress from = CoapAddress.FromIPv4(0xc000_0200 + (uint)host, (ushort)port);
                leaked += await AskAsync($"coap://192.0.2.{name}/secret", name, from) == name ? 0 : 1;
                leaked += await AskAsync($"coap://192.0.2.{name}/secret?a", name + "a", from) == name + "a" ? 0 : 1;
            }
        }

        // Forged while the honest answer is awaited, and after it.
        int poisoned = 0;
        for (int i = 0; i < 50; i++)
        {
            string uri = $"{AttackClient.Uri}{i}";
            CoapAddress elsewhere = AttackClient.Server with { Port = 6000 };
            byte[]? asked = null;
            string text = await AskAsync(uri, "honest", AttackClient.Server, null, request =>
            {
                asked = request;
                client.Answer(request, CoapCode.Content, "forged", options => options.MaxAge = TimeSpan.FromDays(10_000), elsewhere);
                client.Wire.Receive(AttackClient.Server,
                    Forged.Stamp(Forged.Response(request, CoapMessageType.NonConfirmable, CoapCode.Content, "forged"), i, 77));
            });
            client.Answer(asked!, CoapCode.Content, "forged");
            client.Wire.Receive(AttackClient.Server, Forged.Response(asked!, CoapMessageType.NonConfirmable, CoapCode.Content, "forged"));
            string again = await AskAsync(uri, "asked again", AttackClient.Server);
            poisoned += text == "honest" && again == "honest" ? 0 : 1;
            client.Clear();
        }

        // A validation that is forged: by somebody else, and of an entity-tag that nobody has.
        int revived = 0;
        for (int i = 0; i < 50; i++)
        {
            string uri = $"{AttackClient.Uri}-valid{i}";
            _ = await AskAsync(uri, "old", AttackClient.Server, options =>
            {
                options.MaxAge = TimeSpan.FromSeconds(1);
                options.Add(OptionNumber.ETag, [1]);
            });
            client.Clock.Advance(TimeSpan.FromSeconds(2));
            string text = await AskAsync(uri, "new", AttackClient.Server, null, request =>
            {
                client.Answer(request, CoapCode.Valid, "", options => options.Add(OptionNumber.ETag, [1]),
                    AttackClient.Server with { Port = 6000 });
                client.Wire.Receive(AttackClient.Server,
                    Forged.Stamp(Forged.Response(request, CoapMessageType.NonConfirmable, CoapCode.Valid, "",
                        options => options.Add(OptionNumber.ETag, [1])), 1, 78));
            });
            revived += text == "new" ? 0 : 1;
        }

        // Very many answers that say they are good for a century.
        int count = run.Size(50_000, 800);
        CoapCache small = new(256 * 1024, 500);
        await using AttackClient filled = new(options => options.Cache = small);
        for (int i = 0; i < count; i++)
        {
            Task<CoapResponse> task = filled.Client.GetAsync($"{AttackClient.Uri}?{i}");
            filled.Answer(await filled.TakeAsync(), CoapCode.Content, "0123456789abcdef0123456789abcdef",
                options => options.AddUInt(OptionNumber.MaxAge, uint.MaxValue));
            _ = await AttackClient.Within(task);
            filled.Clock.Advance(TimeSpan.FromMilliseconds(10));
        }

        run.Done =
            $"one path on 20 hosts and 40 ports; 50 forged answers beside honest ones; 50 forged validations; {count:N0} answers with "
                + $"Max-Age 2^32-1";
        run.Exactly("answers of one server given for another", leaked, 0);
        run.Exactly("forged answers kept", poisoned, 0);
        run.Exactly("stale answers revived", revived, 0);
        run.AtMost("entries", small.Count, 500);
        run.AtMost("bytes", small.Bytes, small.MaxBytes, " B");
    }
}
