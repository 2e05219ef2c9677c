using System.Globalization;

namespace CoAP.NET.Tests.Shared;

/// <summary>
/// A small resource directory for tests of its clients (RFC 9176): it registers, forgets, restarts and moves as a test wants, and answers
/// what no sound directory would. Paths are those of aiocoap's. It is no directory for users.
/// </summary>
internal sealed class SmallDirectory
{
    private readonly TimeProvider _time;
    private readonly Dictionary<string, SmallRegistration> _registrations = new(StringComparer.Ordinal);
    private readonly List<string> _requests = [];
    private readonly Lock _gate = new();
    private readonly CoapRouteHandlerBuilder _resources;
    private readonly CoapRouteHandlerBuilder _endpoints;
    private int _last;

    public SmallDirectory(CoapServer server, TimeProvider time, bool notifies = true)
    {
        Server = server;
        _time = time;
        server.MapPost("/resourcedirectory/", Register).WithResourceType("core.rd").WithContentFormat(CoapContentFormat.LinkFormat);
        _endpoints = server.MapGet("/endpoint-lookup/", request => Note(request) ?? Lookup(request, FindEndpoints()))
            .WithResourceType("core.rd-lookup-ep").WithContentFormat(CoapContentFormat.LinkFormat);
        _resources = server.MapGet("/resource-lookup/", request => Note(request) ?? Lookup(request, FindResources()))
            .WithResourceType("core.rd-lookup-res").WithContentFormat(CoapContentFormat.LinkFormat);
        if (notifies)
        {
            _endpoints.Observable();
            _resources.Observable();
        }

        server.MapPost("/reg/{id}/", Update);
        server.MapDelete("/reg/{id}/", Remove);
    }

    public CoapServer Server { get; }

    /// <summary>Answers in its place, where it gives something.</summary>
    public Func<CoapRequestContext, CoapResult?>? Answers { get; set; }

    /// <summary>What the location of a registration is, in its place.</summary>
    public Func<string, CoapResult>? Locates { get; set; }

    /// <summary>Methods, paths and arguments in the order they came.</summary>
    public IReadOnlyList<string> Requests
    {
        get
        {
            lock (_gate)
            {
                return [.. _requests];
            }
        }
    }

    /// <summary>What is registered and has not ended.</summary>
    public IReadOnlyList<SmallRegistration> Registrations
    {
        get
        {
            lock (_gate)
            {
                return [.. _registrations.Values.Where(registration => registration.Until > _time.GetUtcNow())];
            }
        }
    }

    /// <summary>Forgets all, as a directory that keeps nothing does when it restarts. Locations begin anew.</summary>
    public void Forget()
    {
        lock (_gate)
        {
            _registrations.Clear();
            _last = 0;
        }

        Notify();
    }

    /// <summary>Adds what somebody else registered.</summary>
    public SmallRegistration Add(string name, string uri, params CoapLink[] links)
    {
        SmallRegistration added;
        lock (_gate)
        {
            added = new SmallRegistration($"/reg/{++_last}/", name, null, uri, 90_000, [], links,
                _time.GetUtcNow() + FromSeconds(90_000));
            _registrations[added.Path] = added;
        }

        Notify();
        return added;
    }

    public void Remove(SmallRegistration registration)
    {
        lock (_gate)
        {
            _registrations.Remove(registration.Path);
        }

        Notify();
    }

    public void Notify()
    {
        _endpoints.Notify();
        _resources.Notify();
    }

    private CoapResult? Note(CoapRequestContext request)
    {
        if (!request.IsForObservers)
        {
            lock (_gate)
            {
                _requests.Add($"{request.Method.ToString().ToUpperInvariant()} {request.Path}"
                    + (request.Queries.Any() ? "?" + string.Join('&', request.Queries) : ""));
            }
        }

        return Answers?.Invoke(request);
    }

    private CoapResult Register(CoapRequestContext request)
    {
        if (Note(request) is { } answer)
        {
            return answer;
        }

        if (!request.TryGetQuery("ep", out string? name))
        {
            return CoapResults.BadRequest("ep argument missing");
        }

        if (!CoapLinkFormat.TryParse(request.Payload.Span, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error))
        {
            return CoapResults.BadRequest(error.ToString());
        }

        SmallRegistration made;
        lock (_gate)
        {
            string? sector = request.TryGetQuery("d", out string? d) ? d : null;
            uint lifetime = request.TryGetQuery("lt", out string? lt) ? uint.Parse(lt, CultureInfo.InvariantCulture) : 90_000;
            string path = _registrations.Values.FirstOrDefault(known => known.Name == name && known.Sector == sector)?.Path
                ?? $"/reg/{++_last}/";
            made = new SmallRegistration(path, name, sector, BaseOf(request) ?? $"coap://{request.Peer.Address}", lifetime,
                [.. request.Queries.Where(static query => query.Split('=')[0] is not ("ep" or "d" or "lt" or "base"))], links,
                _time.GetUtcNow() + FromSeconds(lifetime));
            _registrations[path] = made;
        }

        Notify();
        return Locates?.Invoke(made.Path) ?? CoapResults.Created(made.Path);
    }

    private CoapResult Update(CoapRequestContext request)
    {
        if (Note(request) is { } answer)
        {
            return answer;
        }

        lock (_gate)
        {
            if (!_registrations.TryGetValue(request.Path, out SmallRegistration? known) || !request.Payload.IsEmpty)
            {
                return request.Payload.IsEmpty ? CoapResults.NotFound() : CoapResults.BadRequest("an update has no payload");
            }

            uint lifetime = request.TryGetQuery("lt", out string? lt) ? uint.Parse(lt, CultureInfo.InvariantCulture) : known.Lifetime;
            _registrations[request.Path] = known with
            {
                Base = BaseOf(request) ?? known.Base,
                Lifetime = lifetime,
                Until = _time.GetUtcNow() + FromSeconds(lifetime),
            };
        }

        Notify();
        return CoapResults.Changed();
    }

    private CoapResult Remove(CoapRequestContext request)
    {
        if (Note(request) is { } answer)
        {
            return answer;
        }

        lock (_gate)
        {
            _registrations.Remove(request.Path);
        }

        Notify();
        return CoapResults.Deleted();
    }

    private static string? BaseOf(CoapRequestContext request) => request.TryGetQuery("base", out string? given) ? given : null;

    private IEnumerable<CoapLink> FindEndpoints() => Registrations.Select(static registration =>
        new CoapLink(registration.Path,
            [
                new("ep", registration.Name),
                .. registration.Sector is { } sector ? [new CoapLinkAttribute("d", sector)] : Array.Empty<CoapLinkAttribute>(),
                new("base", registration.Base),
                .. registration.Others.Select(static other => new CoapLinkAttribute(other.Split('=')[0], other.Split('=')[1])),
                new("rt", "core.rd-ep"),
            ]));

    private IEnumerable<CoapLink> FindResources() => Registrations.SelectMany(static registration =>
        registration.Links.Select(link => new CoapLink(link.ResolveTarget(registration.Base), link.Attributes)));

    private static CoapResult Lookup(CoapRequestContext request, IEnumerable<CoapLink> links)
    {
        string[] criteria = [.. request.Queries.Where(static query => query.Split('=')[0] is not ("page" or "count"))];
        IEnumerable<CoapLink> found = CoapLinkFormat.Filter(links, criteria);
        if (request.TryGetQuery("count", out string? count))
        {
            int size = int.Parse(count, CultureInfo.InvariantCulture);
            int page = request.TryGetQuery("page", out string? number) ? int.Parse(number, CultureInfo.InvariantCulture) : 0;
            found = found.Skip(page * size).Take(size);
        }

        return CoapResults.Content(CoapLinkFormat.ToContent(found));
    }
}
