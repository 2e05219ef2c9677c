namespace CoAP.NET.Simulation.Attack;

/// <summary>Every resource of samples/Server, and every way to ask it.</summary>
internal static class Resources
{
    private static readonly CoapMethod[] s_methods = [CoapMethod.Get, CoapMethod.Put, CoapMethod.Post, CoapMethod.Delete, CoapMethod.Fetch,
        CoapMethod.Patch, CoapMethod.IPatch];

    /// <summary>The paths of all resources, as the server lists them, with some that are hidden or not there.</summary>
    public static List<string> Paths(AttackServer server)
    {
        List<byte> text = [];
        byte[]? answer = null;
        server.Wire.Sent = (in to, bytes) => answer = bytes.ToArray();
        for (int number = 0; ; number++)
        {
            byte[] request = Forged.Message(CoapMethod.Get, ".well-known/core",
                options: options => options.Block2 = new BlockValue(number, false, 2));
            server.Wire.Receive(CoapAddress.FromIPv4(0x0909_0909, 1), Forged.Stamp(request, number, (uint)number));
            CoapMessage part = Forged.Read(answer);
            text.AddRange(part.Payload.ToArray());
            if (part.Options.Block2 is not { More: true })
            {
                break;
            }
        }

        server.Wire.Sent = null;
        return [.. CoapLinkFormat.Parse(Encoding.UTF8.GetString([.. text])).Select(link => link.Target[1..]), ".well-known/core",
            "path/sub1", "nothing/there"];
    }

    /// <summary>All requests that are tried against a resource.</summary>
    /// <param name="path">Its path.</param>
    /// <param name="observes">Whether with those that register.</param>
    /// <param name="changes">Whether with those that change it.</param>
    public static IEnumerable<(string Name, byte[] Bytes)> Requests(string path, bool observes, bool changes)
    {
        foreach (CoapMethod method in changes ? s_methods : [CoapMethod.Get, CoapMethod.Fetch])
        {
            bool isSafe = method is CoapMethod.Get or CoapMethod.Fetch;
            foreach (CoapMessageType type in new[] { CoapMessageType.NonConfirmable, CoapMessageType.Confirmable })
            {
                foreach (bool registers in observes && isSafe ? [false, true] : new[] { false })
                {
                    yield return ($"{(type == CoapMessageType.Confirmable ? "CON" : "NON")} {method.ToString().ToUpperInvariant()}{(registers ? " + Observe" : "")}", Forged.Message(
                        method,
                        path,
                        type,
                        registers ? options => options.Observe = 0 : null,
                        method switch
                        {
                            CoapMethod.Get or CoapMethod.Delete => [],
                            CoapMethod.Fetch => "[\"name\"]"u8.ToArray(),
                            CoapMethod.Patch or CoapMethod.IPatch => "{\"on\":true}"u8.ToArray(),
                            _ => new byte[40],
                        }));
                }
            }

            if (method == CoapMethod.Get)
            {
                yield return ("NON GET, Block2 of 1,024",
                    Forged.Message(method, path, CoapMessageType.NonConfirmable,
                        options => options.Block2 = new BlockValue(0, false, 6)));
                yield return ("NON GET, unknown critical option",
                    Forged.Message(method, path, CoapMessageType.NonConfirmable, options => options.Add(9999, [1])));
            }
        }
    }
}
