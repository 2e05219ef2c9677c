using System.Buffers;
using CoAP.NET.ResourceDirectory.Index;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Registrations that come, change, end and go in any order, beside a model of lists that are filtered one by one.</summary>
public class ModelTests
{
    private static readonly string[] s_types = ["light", "temperature", "core.s", "core.a", "x\"y"];

    [Theory]
    [InlineData(1, 3_000, 40)]
    [InlineData(2, 3_000, 4)]
    [InlineData(3, 12_000, 1_500)]
    [Rfc("9176-5.3-1")]
    public async Task Lookups_return_the_results_of_a_model(ulong seed, int steps, int names)
    {
        VirtualClock clock = new();
        VirtualRandom random = new(seed);
        CoapDirectoryOptions options = new() { TimeProvider = clock, Random = new VirtualRandom(seed) };
        await using CoapDirectoryServer directory = new(options);
        LookupExecutor run = new(directory.Core.Index, directory.Core.Locations, new LookupLimits(1_000_000, 100_000_000, 1_000_000));
        SortedDictionary<ulong, Modelled> model = [];
        DirectoryOwner[] owners = [new(1, 1, 1), new(2, 2, 2)];
        int checks = 0;
        for (int step = 0; step < steps; step++)
        {
            string name = "n" + Next(random, names);
            string sector = Next(random, 2) == 0 ? "" : "d" + Next(random, 2);
            CoapTableKey key = directory.Core.KeyOf(Utf8(sector), Utf8(name));
            ulong order = DirectoryIndex.OrderOf(key.Bytes).Order;
            int owner = Next(random, 5) == 0 ? 1 : 0;
            RegistrantIdentity registrant = new(owners[owner], true, Utf8("coap://src" + Next(random, 3)), 0);
            TimeSpan now = clock.Elapsed;
            model.TryGetValue(order, out Modelled? one);
            if (one is not null && one.ForgottenAt <= now)
            {
                model.Remove(order);
                one = null;
            }

            bool isActive = one is not null && one.EndsAt > now;
            switch (Next(random, 8))
            {
                case 0 or 1 or 2:
                    Modelled made = Make(random, name, sector, owner, registrant, now);
                    DirectoryDecision registered = await AskAsync(directory, key, DirectorySlotOwnerRequest.Operation.Register, registrant,
                        made.ToRegistration(registrant).Bytes);
                    Assert.Equal(isActive && one!.Owner != owner ? DirectoryDecision.NotOwner : DirectoryDecision.Done, registered);
                    if (registered == DirectoryDecision.Done)
                    {
                        model[order] = made;
                    }

                    break;
                case 3 or 4:
                    uint lifetime = (uint)Next(random, 3) * 50;
                    string? origin = Next(random, 3) == 0 ? "coap://new" + Next(random, 3) : null;
                    DirectoryDecision updated = await AskAsync(directory, key, DirectorySlotOwnerRequest.Operation.Update, registrant,
                        new RegistrationUpdate
                        {
                            Lifetime = lifetime,
                            HasOwnBase = origin is not null,
                            Base = origin is null ? registrant.Base : Utf8(origin),
                        }.ToArray());
                    Assert.Equal(Expected(one, owner), updated);
                    if (updated == DirectoryDecision.Done)
                    {
                        one!.Lifetime = lifetime == 0 ? one.Lifetime : lifetime;
                        one.Base = origin ?? (one.HasOwnBase ? one.Base : Encoding.UTF8.GetString(registrant.Base));
                        one.HasOwnBase |= origin is not null;
                        one.Refresh(now);
                    }

                    break;
                case 5:
                    DirectoryDecision removed =
                        await AskAsync(directory, key, DirectorySlotOwnerRequest.Operation.Remove, registrant, default);
                    Assert.Equal(Expected(one, owner), removed);
                    if (removed == DirectoryDecision.Done)
                    {
                        model.Remove(order);
                    }

                    break;
                case 6:
                    // Never at the end of a lifetime itself.
                    clock.Advance(FromSeconds(Next(random, 4)) + FromMilliseconds(1));
                    break;
                default:
                    Check(run, random, model.Values.Where(each => each.EndsAt > now), directory.Core);
                    checks++;
                    break;
            }
        }

        Assert.True(checks > steps / 20);
        Assert.Equal(model.Values.Count(each => each.EndsAt > clock.Elapsed), CountOf(directory));
        clock.Advance(FromDays(30));
        Assert.Equal(0, CountOf(directory));
        Assert.Equal(0, directory.Core.Index.Count);
        RegistrationQuota shares = directory.Core.Index.Quota;
        Assert.Equal((0, 0L, 0), (shares.Count, shares.Bytes, shares.Sources));
    }

    private static DirectoryDecision Expected(Modelled? one, int owner) =>
        one is null ? DirectoryDecision.Missing : one.Owner != owner ? DirectoryDecision.NotOwner : DirectoryDecision.Done;

    private static int CountOf(CoapDirectoryServer directory)
    {
        directory.Core.Index.EndLifetimes();
        return directory.Count;
    }

    private static void Check(LookupExecutor run, VirtualRandom random, IEnumerable<Modelled> active, DirectoryServerState core)
    {
        bool ofLinks = Next(random, 2) == 0;
        List<string> criteria = [.. Enumerable.Range(0, Next(random, 3)).Select(_ => Criterion(random))];
        (int page, int count) = (Next(random, 4), 1 + Next(random, 7));
        bool isPaged = Next(random, 2) == 0;
        IEnumerable<string> queries = isPaged ? criteria.Append($"page={page}").Append($"count={count}") : criteria;
        Assert.Null(Lookup.TryRead(queries, ofLinks, 16, out Lookup? lookup));
        ArrayBufferWriter<byte> answer = new();
        Assert.Equal(LookupFault.None, run.Run(lookup!, 0, answer));

        List<string> expected = [];
        foreach (Modelled one in active)
        {
            CoapLink endpoint = one.ToEndpoint(core);
            List<CoapLink> links = one.ToLinks();
            if (ofLinks)
            {
                CoapLink said = new(endpoint.Target, endpoint.Attributes.Where(each => each.Name != "rt"));
                expected.AddRange(links.Where(link => criteria.All(each => CoapLinkFormat.Matches(link, each)
                    || MatchesEndpoint(said, each))).Select(link => link.ToString()));
            }
            else if (criteria.All(each => MatchesEndpoint(endpoint, each) || links.Exists(link => CoapLinkFormat.Matches(link, each))))
            {
                expected.Add(endpoint.ToString());
            }
        }

        string wanted = string.Join(',', isPaged ? expected.Skip(page * count).Take(count) : expected);
        string found = Encoding.UTF8.GetString(answer.WrittenSpan);
        Assert.True(wanted == found, $"{string.Join('&', queries)}: wanted {wanted}\nfound {found}");
    }

    private static bool MatchesEndpoint(CoapLink endpoint, string criterion) => CoapLinkFormat.Matches(endpoint, criterion);

    private static string Criterion(VirtualRandom random) => Next(random, 9) switch
    {
        0 => "rt=" + s_types[Next(random, s_types.Length)],
        1 => "rt=core.*",
        2 => "ep=n" + Next(random, 5),
        3 => "d=d" + Next(random, 2),
        4 => "et=e" + Next(random, 3),
        5 => "base=coap://src" + Next(random, 3),
        6 => "href=coap://new1/*",
        7 => "if=i" + Next(random, 2),
        _ => "title=t*",
    };

    private static Modelled Make(VirtualRandom random, string name, string sector, int owner, RegistrantIdentity registrant, TimeSpan now)
    {
        Modelled made = new()
        {
            Name = name,
            Sector = sector,
            Owner = owner,
            Lifetime = 10 + (uint)Next(random, 100),
            Base = Encoding.UTF8.GetString(registrant.Base),
            Type = Next(random, 2) == 0 ? "e" + Next(random, 3) : null,
        };
        for (int i = Next(random, 4); i > 0; i--)
        {
            List<CoapLinkAttribute> attributes = [];
            if (Next(random, 4) != 0)
            {
                attributes.Add(new CoapLinkAttribute("rt", string.Join(' ',
                    Enumerable.Range(0, 1 + Next(random, 2)).Select(_ => s_types[Next(random, s_types.Length)]))));
            }

            if (Next(random, 2) == 0)
            {
                attributes.Add(new CoapLinkAttribute("if", "i" + Next(random, 2)));
            }

            if (Next(random, 3) == 0)
            {
                attributes.Add(new CoapLinkAttribute("title", "t,\\\";" + Next(random, 3)));
            }

            made.Links.Add(new CoapLink(Next(random, 5) == 0 ? "http://x/" + i : "/" + i, attributes));
        }

        made.Refresh(now);
        return made;
    }

    private static async Task<DirectoryDecision> AskAsync(
        CoapDirectoryServer directory, CoapTableKey key, DirectorySlotOwnerRequest.Operation what,
        RegistrantIdentity registrant, ReadOnlyMemory<byte> content) =>
        (await directory.Core.AskAsync(key, what, registrant, null, content, CancellationToken.None)).Answer;

    private static int Next(VirtualRandom random, int bound) => (int)(random.NextUInt64() % (ulong)bound);

    private static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text);

    private sealed class Modelled
    {
        public required string Name { get; init; }

        public required string Sector { get; init; }

        public required int Owner { get; init; }

        public required uint Lifetime { get; set; }

        public required string Base { get; set; }

        public bool HasOwnBase { get; set; }

        public string? Type { get; init; }

        public List<CoapLink> Links { get; } = [];

        public TimeSpan EndsAt { get; private set; }

        public TimeSpan ForgottenAt { get; private set; }

        public void Refresh(TimeSpan now)
        {
            EndsAt = now + FromSeconds(Lifetime);
            ForgottenAt = EndsAt + FromSeconds(Lifetime);
        }

        public Registration ToRegistration(RegistrantIdentity registrant)
        {
            List<byte> attributes = [];
            if (Type is not null)
            {
                EndpointAttributes.Append(attributes, Utf8("et=" + Type));
            }

            return Registration.Make(new RegistrationRefreshHeader(registrant.Owner, 0), new RegistrationFields
            {
                Lifetime = Lifetime,
                LinkCount = Links.Count,
                Endpoint = Utf8(Name),
                Sector = Utf8(Sector),
                Base = Utf8(Base),
                Attributes = attributes.ToArray(),
                Links = Utf8(CoapLinkFormat.Format(Links)),
            });
        }

        public CoapLink ToEndpoint(DirectoryServerState core)
        {
            List<CoapLinkAttribute> attributes = [new("ep", Name)];
            if (Sector.Length != 0)
            {
                attributes.Add(new CoapLinkAttribute("d", Sector));
            }

            attributes.Add(new CoapLinkAttribute("base", Base));
            if (Type is not null)
            {
                attributes.Add(new CoapLinkAttribute("et", Type));
            }

            attributes.Add(new CoapLinkAttribute("rt", "core.rd-ep"));
            return new CoapLink(core.LocationOf(core.KeyOf(Utf8(Sector), Utf8(Name))), attributes);
        }

        public List<CoapLink> ToLinks() => [.. Links.Select(link => new CoapLink(link.ResolveTarget(Base), link.Attributes))];
    }
}
