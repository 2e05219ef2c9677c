using CoAP.NET.Diagnostics;
using CoAP.NET.Simulation.Attack;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>Requests that are served, bodies and observers.</summary>
internal static class RequestLimitFillers
{
    private const int MiB = 1024 * 1024;

    // Requests of each holder.
    private const int Each = 50;

    public static IEnumerable<LimitFillCase> Rows =>
    [
        new(
            "slow-requests",
            "requests of a connection that are served (`Connections.MaxRequests`)",
            "40 connections, each sends 50 requests to a handler that does not end",
            settings => settings.Limits.Connections.MaxRequests = 20,
            async (source, _) =>
                await source.HoldAsync(source.Target.Tcp, Many(i => StreamLimitFillers.Request(CoapMethod.Post, "slow", i))))
        {
            Scaled = "`Connections.MaxRequests` 20",
            Holders = 40,
            HoldersInTests = 8,
            MiB = 16,
            Proof = CoapCounter.ReadingPauses,
        },
        HalfUploadsOverTcp(trusts: false),
        HalfUploadsOverTcp(trusts: true),
        HalfUploads(trusts: false),
        HalfUploads(trusts: true),
        HalfDownloads,
        Observers("observers", "200 ports", trusts: true),
        Observers("observers-unverified", "200 ports of addresses that nobody verified", trusts: false),
    ];

    private static LimitFillCase HalfUploadsOverTcp(bool trusts) => new(
        trusts ? "half-uploads-tcp-trusted" : "half-uploads-tcp",
        "bodies of requests in blocks (`Blockwise.RequestMemory`)",
        $"200 connections{(trusts ? " of trusted addresses" : "")}, each sends the first block of 50 bodies",
        settings => Narrow(settings, trusts),
        async (source, _) => await source.HoldAsync(
            source.Target.Tcp,
            Many(i => StreamLimitFillers.Request(CoapMethod.Post, "small", i, options => First(options, i), new byte[1024]))))
    {
        Scaled = "`Blockwise.RequestMemory` 4 MiB",
        Holders = 200,
        HoldersInTests = 100,
        MiB = 4 + 16,
        Gauge = server => server.BodyBytes,
        Most = settings => settings.Limits.Blockwise.RequestMemory,
        Proof = CoapCounter.BodiesEvicted,
    };

    private static LimitFillCase HalfUploads(bool trusts) => new(
        trusts ? "half-uploads-trusted" : "half-uploads",
        "bodies of requests in blocks (`Blockwise.RequestMemory`)",
        $"200 ports of addresses that {(trusts ? "are trusted" : "nobody verified")} send the first block of 50 bodies each",
        settings => Narrow(settings, trusts),
        async (source, _) => await DatagramsAsync(source, i => Forged.Message(
            CoapMethod.Post, "small", CoapMessageType.NonConfirmable, options => First(options, i), new byte[1024])))
    {
        Scaled = "`Blockwise.RequestMemory` 4 MiB",
        Holders = 200,
        HoldersInTests = 100,
        MiB = 4 + 16,
        Gauge = server => server.BodyBytes,
        Most = settings => settings.Limits.Blockwise.RequestMemory,
    };

    private static void Narrow(LimitFillSettings settings, bool trusts)
    {
        settings.Limits.Blockwise.RequestMemory = 4 * MiB;
        if (!trusts)
        {
            settings.TrustNobody();
        }
    }

    private static LimitFillCase HalfDownloads => new(
        "half-downloads",
        "answers that are fetched in blocks (`Blockwise.ResponseMemory`)",
        "200 ports of addresses that nobody verified ask for the first block of 50 answers of 3,000 B each",
        settings =>
        {
            settings.Limits.Blockwise.ResponseMemory = 4 * MiB;
            settings.TrustNobody();
        },
        async (source, _) =>
            await DatagramsAsync(source, i => Forged.Message(CoapMethod.Get, "made", CoapMessageType.NonConfirmable, options =>
            {
                options.Add(OptionNumber.UriQuery, BitConverter.GetBytes(i | 0x4040_4040));
                options.Block2 = new BlockValue(0, false, 2);
            })))
    {
        Scaled = "`Blockwise.ResponseMemory` 4 MiB",
        Holders = 200,
        HoldersInTests = 100,
        MiB = 4 + 16,
        Gauge = server => server.BodyBytes,
        Most = settings => settings.Limits.Blockwise.ResponseMemory,
    };

    private static LimitFillCase Observers(string name, string who, bool trusts) => new(
        name,
        trusts ? "observers (`MaxObservers`)" : "observers (`MaxUnverifiedObserversPerSource`)",
        $"{who} register 50 times each and acknowledge nothing",
        settings =>
        {
            settings.Limits.Observe.MaxObservers = settings.Size(4000, 500);
            settings.Limits.Observe.MaxUnverifiedObserversPerSource = settings.Size(500, 100);
            if (!trusts)
            {
                settings.TrustNobody();
            }
        },
        async (source, _) => await DatagramsAsync(source, i => Forged.Message(
            CoapMethod.Get, "watched", CoapMessageType.NonConfirmable, options => options.Observe = 0)))
    {
        Scaled = trusts ? "`MaxObservers` 4,000" : "`MaxObservers` 4,000, `MaxUnverifiedObserversPerSource` 500",
        Holders = 200,
        HoldersInTests = 20,
        MiB = 24,
        Gauge = server => server.ObserverCount,
        Most = settings => settings.Limits.Observe.MaxObservers,
        Proof = CoapCounter.RegistrationsRefused,
    };

    private static void First(CoapOptionCollection options, int tag)
    {
        options.Block1 = new BlockValue(0, true, 6);
        options.Add(OptionNumber.RequestTag, BitConverter.GetBytes(tag));
    }

    private static byte[] Many(Func<int, byte[]> make) => [.. Enumerable.Range(0, Each).SelectMany(make)];

    private static async Task<LimitFiller> DatagramsAsync(LimitFillSource source, Func<int, byte[]> make)
    {
        DatagramFiller holder = new(source, source.Datagrams(source.Target.Udp),
            [.. Enumerable.Range(0, Each).Select(i => Forged.Stamp(make(i), i, (uint)i).ToArray())]);
        await holder.SendAllAsync();
        return holder;
    }

    /// <summary>A port that says the same again before it is forgotten.</summary>
    private sealed class DatagramFiller(LimitFillSource source, Socket socket, byte[][] datagrams) : LimitFiller(socket)
    {
        private int _round;

        public override ValueTask KeepAsync() => new(SendAllAsync());

        public async Task SendAllAsync()
        {
            foreach (byte[] datagram in datagrams)
            {
                // New Message IDs, so that it is a request and no duplicate.
                await source.SendAsync(Socket!, Forged.Stamp(datagram, _round++, Forged.TokenOf(datagram)).ToArray());
            }
        }
    }
}
