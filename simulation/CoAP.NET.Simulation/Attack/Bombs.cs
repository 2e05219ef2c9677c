using System.Text.Json;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Payloads that are small and want to become large: deep, or with huge counts.</summary>
internal static class Bombs
{
    public static IEnumerable<AttackRow> Rows =>
        [new("parser-bombs", "CBOR, link-format, SenML and JSON parser bombs", "8949-10-1, 6690-2-1", RunAsync)];

    private static Task RunAsync(AttackRun run)
    {
        int size = run.Size(4_000_000, 60_000);
        (string Name, byte[] Bytes)[] bombs =
        [
            ("arrays in arrays", Fill(size, 0x81)),
            ("maps in maps", Fill(size, 0xa1)),
            ("tags of tags", Fill(size, 0xc1)),
            ("arrays without end in each other", Fill(size, 0x9f)),
            ("strings without end in each other", Fill(size, 0x7f)),
            ("an array of 2^32 items", [0x9a, 0xff, 0xff, 0xff, 0xff, 1]),
            ("an array of 2^64 items", [0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
            ("a map of 2^63 pairs", [0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
            ("a text of 2^31 bytes", [0x7a, 0x7f, 0xff, 0xff, 0xff, 1]),
            ("bytes of 2^64", [0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
            ("a pack of 2^32 records", [0x9a, 0xff, 0xff, 0xff, 0xff, 0xa1, 0x00, 0x61, 0x61]),
            ("JSON arrays in arrays", Fill(size, (byte)'[')),
            ("JSON objects in objects", Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat("{\"a\":", size / 5)))),
            ("records without number",
                Encoding.ASCII.GetBytes("[" + string.Join(',', Enumerable.Repeat("{\"n\":\"a\",\"v\":1}", size / 16)) + "]")),
            ("a base name that counts for each record",
                Encoding.ASCII.GetBytes(
                    $"[{{\"bn\":\"{new string('a', size / 2)}\",\"v\":1}}{string.Concat(Enumerable.Repeat(",{\"v\":1}", size / 16))}]")),
            ("numbers of many digits", Encoding.ASCII.GetBytes($"[{{\"n\":\"a\",\"v\":1e{new string('9', size / 2)}}}]")),
            ("links without number", Encoding.ASCII.GetBytes(string.Join(',', Enumerable.Repeat("</a>", size / 5)))),
            ("attributes without number", Encoding.ASCII.GetBytes("</a>" + string.Concat(Enumerable.Repeat(";a=b", size / 4)))),
            ("a quoted string without end", Encoding.ASCII.GetBytes("</a>;title=\"" + new string('\\', size))),
            ("a target without end", Encoding.ASCII.GetBytes("<" + new string('a', size))),
        ];
        long most = 0;
        string dearest = "";
        int unexpected = 0;
        foreach ((string name, byte[] bytes) in bombs)
        {
            foreach ((string parser, Action<byte[]> parse) in s_parsers)
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                try
                {
                    parse(bytes);
                }
                catch (Exception exception) when (exception is JsonException or FormatException)
                {
                    // What is no document is told so.
                }
                // Everything else is what is looked for.
                catch (Exception exception)
                {
                    unexpected++;
                    run.Report($"{parser} of {name}: {exception.GetType().Name}: {exception.Message}");
                }

                long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
                if (allocated - (24 * bytes.Length) > most - (24 * size))
                {
                    (most, dearest) = (allocated, $"{parser} of {name}");
                }
            }
        }

        run.Done = $"{bombs.Length} payloads of up to {size:N0} bytes: {string.Join(", ", bombs.Select(bomb => bomb.Name))}; "
                + $"by {string.Join(", ", s_parsers.Select(parser => parser.Name))}";
        run.Exactly("exceptions but those for bad documents", unexpected, 0);
        run.AtMost($"allocated for a byte of payload ({dearest})", (double)most / size, 64, " B");
        return Task.CompletedTask;
    }

    private static readonly (string Name, Action<byte[]> Parse)[] s_parsers =
    [
        ("CBOR diagnostics", bytes => _ = CoapCborNotation.TryFormat(bytes, out _, out _)),
        ("SenML+CBOR", bytes => _ = CoapSenmlPack.TryParse(bytes, CoapContentFormat.SenmlCbor, out _, out _)),
        ("SenML+JSON", bytes => _ = CoapSenmlPack.TryParse(bytes, CoapContentFormat.SenmlJson, out _, out _)),
        ("problem details", bytes => _ = CoapProblem.TryParse(bytes, out _, out _)),
        ("merge patch", bytes => _ = CoapMergePatch.Apply("{}"u8, bytes)),
        ("link format", bytes => _ = CoapLinkFormat.TryParse(bytes, out _, out _)),
    ];

    private static byte[] Fill(int size, byte value)
    {
        byte[] bytes = new byte[size];
        bytes.AsSpan().Fill(value);
        return bytes;
    }
}
