namespace CoAP.NET.Simulation.Attack;

/// <summary>Responses and requests that are forged, held back, repeated or put in another order by somebody on the path.</summary>
internal static class Spoofing
{
    public static IEnumerable<AttackRow> Rows =>
    [
        new("spoof-response", "Response spoofing: another address, port, token or Message ID", "7252-5.3.2-1, 7252-4.2-6", ResponsesAsync),
        new("delay-response", "Response delay and mismatch", "9175-4.2-1, 7252-5.3.1-2", DelayedResponsesAsync)
        {
            Plants = ["reused-token"]
        },
        new("delay-request", "Request delay, and with reordering", "9175-2.3-1, 9175-2.2.1-2", DelayedRequestsAsync)
        {
            Plants = ["no-freshness"]
        },
        new("selective-blocking", "Selective blocking", "7252-4.2-6", SelectiveAsync),
        new("cross-protocol", "Cross-protocol: datagrams of other protocols", "BAD rows", CrossProtocolAsync),
    ];

    private static async Task ResponsesAsync(AttackRun run)
    {
        await using AttackClient client = new();
        CoapAddress server = AttackClient.Server;
        (string Name, Action<byte[]> Forge)[] attacks =
        [
            ("another address",
                request => client.Answer(request, CoapCode.Content, "forged", from: CoapAddress.FromIPv4(0xc000_0209, 5683))),
            ("another port", request => client.Answer(request, CoapCode.Content, "forged", from: server with { Port = 5684 })),
            ("another address, separate",
                request => client.Wire.Receive(server with { Port = 5684 },
                    Forged.Response(request, CoapMessageType.Confirmable, CoapCode.Content, "forged"))),
            ("another address, Non-confirmable",
                request => client.Wire.Receive(server with { Port = 5684 },
                    Forged.Response(request, CoapMessageType.NonConfirmable, CoapCode.Content, "forged"))),
            ("another Message ID",
                request => client.Wire.Receive(server,
                    Forged.Stamp(Forged.Response(request, CoapMessageType.Acknowledgement, CoapCode.Content, "forged"),
                        Forged.MessageIdOf(request) + 1, Forged.TokenOf(request)))),
            ("another token",
                request => client.Wire.Receive(server,
                    Forged.Stamp(Forged.Response(request, CoapMessageType.Acknowledgement, CoapCode.Content, "forged"),
                        Forged.MessageIdOf(request), Forged.TokenOf(request) + 1))),
            ("another token, separate",
                request => client.Wire.Receive(server,
                    Forged.Stamp(Forged.Response(request, CoapMessageType.Confirmable, CoapCode.Content, "forged"), 7,
                        Forged.TokenOf(request) ^ 1))),
            ("no token", request => client.Wire.Receive(server, [0x60, 0x45, request[2], request[3], 0xff, (byte)'f'])),
            ("half a token",
                request => client.Wire.Receive(server, [0x62, 0x45, request[2], request[3], request[4], request[5], 0xff, (byte)'f'])),
            ("a longer token",
                request => client.Wire.Receive(server, [0x65, 0x45, request[2], request[3], .. request.AsSpan(4, 4), 0, 0xff, (byte)'f'])),
            ("a reset from elsewhere",
                request => client.Wire.Receive(server with { Port = 5684 },
                    Forged.Empty(CoapMessageType.Reset, Forged.MessageIdOf(request)))),
            ("a reset of another message",
                request => client.Wire.Receive(server, Forged.Empty(CoapMessageType.Reset, Forged.MessageIdOf(request) + 1))),
            ("a request in place of a response",
                request => client.Wire.Receive(server, [0x64, 0x01, request[2], request[3], .. request.AsSpan(4, 4)])),
        ];
        int forged = 0;
        foreach ((string name, Action<byte[]> forge) in attacks)
        {
            Task<CoapResponse> task = client.Client.GetAsync(AttackClient.Uri);
            byte[] request = await client.TakeAsync();
            forge(request);
            bool early = task.IsCompleted;

            // An answer after an acknowledgement that was taken for ours would be a separate one: then the copy would not come.
            client.Clock.Advance(TimeSpan.FromSeconds(4));
            client.Answer(request, CoapCode.Content, "honest");
            string text = (await AttackClient.Within(task)).GetText();
            if (early || text != "honest")
            {
                forged++;
                run.Report(name);
            }

            client.Clear();
        }

        run.Done = $"{attacks.Length} kinds: {string.Join(", ", attacks.Select(attack => attack.Name))}";
        run.Exactly("accepted", forged, 0);
    }

    private static async Task DelayedResponsesAsync(AttackRun run)
    {
        int count = run.Size(20_000, 300);
        HashSet<uint> seen = [];
        int repeated = 0;
        int mismatched = 0;
        byte[]? held = null;
        await using AttackClient client = new();
        for (int i = 0; i < count; i++)
        {
            Task<CoapResponse> task = client.Client.GetAsync(AttackClient.Uri);
            byte[] request = await client.TakeAsync();
            repeated += seen.Add(Forged.TokenOf(request)) ? 0 : 1;
            if (held is not null)
            {
                // As it would come if the token came again, which is what the planted defect does.
                byte[] late = run.IsPlanted("reused-token") ? Forged.Stamp(held.ToArray(), 9, Forged.TokenOf(request)).ToArray() : held;
                client.Wire.Receive(AttackClient.Server, late);
            }

            client.Answer(request, CoapCode.Content, $"{i}");
            mismatched += (await AttackClient.Within(task)).GetText() == $"{i}" ? 0 : 1;
            held = Forged.Response(request, CoapMessageType.NonConfirmable, CoapCode.Content, $"late {i}");
            client.Clock.Advance(TimeSpan.FromMilliseconds(10));
        }

        (int onConnection, int lateOnConnection) = await SlowConnection.RunAsync(run.Size(20_000, 100));
        run.Done =
            $"{count:N0} requests over UDP, the response of each comes again during the next one; {run.Size(20_000, 100):N0} on one TCP "
                + $"connection, each response held back until after the next request";
        run.Exactly("tokens that came twice", repeated + onConnection, 0);
        run.Exactly("late responses taken for another one", mismatched + lateOnConnection, 0);
    }

    private static async Task DelayedRequestsAsync(AttackRun run)
    {
        string state = "";
        int runs = 0;
        CoapResult Set(CoapRequestContext request)
        {
            state = request.GetText();
            runs++;
            return CoapResults.Changed();
        }

        await using AttackServer server = await AttackServer.StartAsync(map: server =>
        {
            CoapRouteHandlerBuilder route = server.MapPut("/lock", Set);
            if (!run.IsPlanted("no-freshness"))
            {
                route.RequireFreshness(TimeSpan.FromSeconds(10));
            }
        });
        CoapAddress peer = CoapAddress.FromIPv4(0xc633_6401, 4000);
        List<CoapMessage> answers = [];
        server.Wire.Sent = (in to, bytes) => answers.Add(Forged.Read(bytes));
        int id = 0;
        byte[] Put(string value)
        {
            // With the Echo of a challenge just answered, as a client does.
            server.Wire.Receive(peer,
                Forged.Stamp(Forged.Message(CoapMethod.Put, "lock", payload: Encoding.UTF8.GetBytes(value)), ++id, (uint)id));
            byte[]? echo = answers[^1].Options.Echo?.ToArray();
            byte[] request = Forged.Message(CoapMethod.Put, "lock",
                options: options => _ = echo is null ? options : options.Add(OptionNumber.Echo, echo),
                payload: Encoding.UTF8.GetBytes(value));
            return Forged.Stamp(request, ++id, (uint)id).ToArray();
        }

        // Delayed: it was recorded and lost on the way.
        byte[] delayed = Put("open");
        server.Clock.Advance(TimeSpan.FromMinutes(1));
        int before = runs;
        server.Wire.Receive(peer, delayed);
        run.Exactly("handlers run by a request that comes a minute late", runs - before, 0);
        run.Holds("it is answered 4.01 with a new Echo", answers[^1].Code == CoapCode.Unauthorized && answers[^1].Options.Echo is not null);

        // Reordered: open, close, and the first one again, with its own Message ID and with others.
        byte[] open = Put("open");
        server.Wire.Receive(peer, open);
        server.Clock.Advance(TimeSpan.FromSeconds(11));
        server.Wire.Receive(peer, Put("closed"));
        before = runs;
        for (int i = 0; i < 10; i++)
        {
            server.Wire.Receive(peer, open);
            server.Wire.Receive(peer, Forged.Stamp(open.ToArray(), 5000 + i, (uint)i));
            server.Wire.Receive(peer with { Port = 4001 }, Forged.Stamp(open.ToArray(), 6000 + i, (uint)i));
            server.Clock.Advance(TimeSpan.FromMinutes(1));
        }

        run.Done = "a PUT that is recorded and comes a minute late; one that comes again after a later one, 30 times over ten minutes, "
            + "from its own and from another port";
        run.Exactly("handlers run by a request that comes again", runs - before, 0);
        run.Holds($"the state stayed 'closed'", state == "closed");
    }

    private static async Task SelectiveAsync(AttackRun run)
    {
        await using AttackClient client = new();
        (string Name, CoapMethod Method, bool Acknowledged, bool Unknown)[] cases =
        [
            ("the 2.04 of a PUT is dropped", CoapMethod.Put, false, true),
            ("that of a POST after its acknowledgement", CoapMethod.Post, true, true),
            ("that of a DELETE", CoapMethod.Delete, false, true),
            ("the 2.05 of a GET", CoapMethod.Get, false, false),
        ];
        int wrong = 0;
        foreach ((string name, CoapMethod method, bool acknowledged, bool unknown) in cases)
        {
            Task<CoapResponse> task = client.Client.SendAsync(new CoapRequest(method, AttackClient.Uri));
            byte[] request = await client.TakeAsync();
            if (acknowledged)
            {
                client.Wire.Receive(AttackClient.Server, Forged.Empty(CoapMessageType.Acknowledgement, Forged.MessageIdOf(request)));
            }

            client.Clock.Advance(TimeSpan.FromMinutes(10));
            if (await AttackClient.FailureOfAsync(task) is not CoapTimeoutException timeout
                || timeout.IsOutcomeUnknown != unknown)
            {
                wrong++;
                run.Report(name);
            }

            client.Clear();
        }

        // Rejected is something else.
        Task<CoapResponse> rejected = client.Client.SendAsync(new CoapRequest(CoapMethod.Put, AttackClient.Uri));
        client.Wire.Receive(AttackClient.Server,
            Forged.Empty(CoapMessageType.Reset, Forged.MessageIdOf(await client.TakeAsync())));
        run.Done = "a PUT, POST, DELETE and GET whose response never comes, and a PUT that is rejected";
        run.Exactly("time-outs that say the wrong thing (OutcomeUnknown for what may have been done)", wrong, 0);
        run.Holds("a reset is told apart", await AttackClient.FailureOfAsync(rejected) is CoapProtocolException { Error: CoapError.Reset });
    }

    private static async Task CrossProtocolAsync(AttackRun run)
    {
        int handled = 0;
        await using AttackServer server =
            await AttackServer.StartAsync(map: server => server.Routes.AddFilter((request, next, cancellationToken) =>
            {
                handled++;
                return next(request, cancellationToken);
            }));
        int most = 0;
        int answers = 0;
        server.Wire.Sent = (in to, bytes) =>
        {
            answers++;
            most = Math.Max(most, bytes.Length);
        };
        string[] hex =
        [
            "a1b20100000100000000000003777777076578616d706c6503636f6d0000010001", // DNS query
            "a1b28180000100010000000003777777076578616d706c6503636f6d0000010001c00c00010001000000050004c0000201", // DNS response
            "000100002112a442000102030405060708090a0b", // STUN binding request
            "0101000c2112a442000102030405060708090a0b002000080001a147e112a643", // STUN binding response
            // DTLS ClientHello
            "16feff000000000000000000360100002a000000000000002afefd000000000000000000000000000000000000000000000000000000000000000000000002c0a80100",
            "16030100300100002c0303000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f00000213010100", // TLS ClientHello
            "e300 06ec 00000000 00000000 31 4e 31 34 0000000000000000000000000000000000000000000000000000000000000000", // NTP
            "c30000000108000102030405060708000044d000", // QUIC Initial
            "30260201010406 7075626c6963a0190204", // SNMP
            "802800000000000200000000", // RPC
            "0001 726663 00 6f63746574 00", // TFTP
            "ffffffff54536f7572636520456e67696e6520517565727900", // a game server
        ];
        string[] text = ["INVITE sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/UDP pc33.example.com\r\n\r\n",
            "OPTIONS sip:nm SIP/2.0\r\n\r\n", "SIP/2.0 200 OK\r\n\r\n", "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n", "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\n\r\n",
            "NOTIFY * HTTP/1.1\r\n\r\n", "SSH-2.0-OpenSSH_9.6\r\n", "EHLO example.com\r\n",
            "<14>1 2003-10-11T22:14:15Z host app - - - message", "{\"jsonrpc\":\"2.0\"}"];
        byte[][] all = [.. hex.Select(one => Convert.FromHexString(one.Replace(" ", ""))),
            .. text.Select(Encoding.ASCII.GetBytes)];
        foreach (byte[] bytes in all)
        {
            for (ushort port = 1; port < 100; port++)
            {
                server.Wire.Receive(CoapAddress.FromIPv4(0xcb00_7105, port), bytes);
            }
        }

        server.Clock.Advance(TimeSpan.FromMinutes(10));
        run.Done = $"{all.Length} datagrams of DNS, STUN, DTLS, TLS, NTP, QUIC, SNMP, SIP, HTTP, SSDP, SSH and others, from 99 ports each";
        run.Exactly("handlers run", handled, 0);
        run.AtMost("bytes of the largest answer (a reset, where the first bits are those of a Confirmable message)", most, 4);
        run.Mention($"{answers / 99} of {all.Length} are reset, the others meet silence");
    }
}
