using System.Text;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Serving;

/// <summary>Handles registration, update and removal (RFC 9176 sections 5 and 5.3).</summary>
internal sealed class RegistrationHandlers(DirectoryServerState core)
{
    private readonly CoapDirectoryOptions _options = core.Options;

    /// <summary>POST of links to the directory.</summary>
    public async ValueTask<CoapResult> RegisterAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        RegistrantIdentity registrant = core.RegistrantOf(request);
        if (RefusalOf(registrant) is { } unsecured)
        {
            return core.Refused(request, unsecured);
        }

        DirectoryRefusal? refusal = RegistrationLinks.TryRead(request.Payload.Span, _options.Limits.MaxLinks, out RegistrationLinks? links);
        RegistrationParameters? parameters = null;
        refusal ??= RegistrationParameters.TryRead(request.Queries, _options.Limits.MaxAttributes, out parameters);
        return refusal is not null
            ? core.Refused(request, refusal)
            : await RegisterAsync(request, registrant, parameters!, links!, isSimple: false, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Registers links of any origin.</summary>
    public async ValueTask<CoapResult> RegisterAsync(
        CoapRequestContext request, RegistrantIdentity registrant, RegistrationParameters parameters,
        RegistrationLinks links, bool isSimple, CancellationToken cancellationToken)
    {
        DirectoryRefusal? refusal = TryMake(request.Peer, registrant, parameters, links, isSimple, out Registration made);
        if (refusal is not null)
        {
            return core.Refused(request, refusal);
        }

        if (!core.TryMakeKey(made, registrant, out CoapTableKey key, out CoapResult? unavailable))
        {
            return unavailable;
        }

        if (await core.Room.AdmitAsync(key, made, request.Peer.IsVerified, cancellationToken).ConfigureAwait(false) is { } full)
        {
            return full;
        }

        (DirectoryDecision answer, unavailable) = await core.AskAsync(key, DirectorySlotOwnerRequest.Operation.Register, registrant, null,
            made.Bytes, cancellationToken).ConfigureAwait(false);
        if (unavailable is not null)
        {
            return unavailable;
        }

        if (answer != DirectoryDecision.Done)
        {
            return core.Refused(request, RefusalOf(answer, registrant));
        }

        core.Counts.Add(isSimple ? DirectoryCounterKind.SimpleRegistrations : DirectoryCounterKind.Registrations);
        return Fresh(registrant, isSimple ? CoapResults.Changed() : CoapResults.Created(core.LocationOf(key)));
    }

    /// <summary>POST to a registration.</summary>
    public async ValueTask<CoapResult> UpdateAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        RegistrantIdentity registrant = core.RegistrantOf(request);
        if (RefusalOf(registrant) is { } unsecured)
        {
            return core.Refused(request, unsecured);
        }

        if (KeyOf(request) is not { } key)
        {
            return Missing(request);
        }

        if (!request.Payload.IsEmpty)
        {
            return core.Refused(request, DirectoryRefusal.Bad(
                $"An update has no payload (RFC 9176 section 5.3.1). To replace links, POST them to {_options.Path} again."));
        }

        if (RegistrationParameters.TryRead(
            request.Queries, _options.Limits.MaxAttributes, out RegistrationParameters? parameters) is { } refusal
            || (refusal = FaultOf(parameters!, registrant)) is not null)
        {
            return core.Refused(request, refusal);
        }

        RegistrationUpdate update = new()
        {
            Lifetime = parameters!.Lifetime ?? 0,
            LinkTag = registrant.LinkTag,
            HasOwnBase = parameters.Base is not null,
            Base = parameters.Base ?? registrant.Base,
            Attributes = parameters.Attributes,
        };
        (DirectoryDecision answer, CoapResult? unavailable) =
            await core.AskAsync(key, DirectorySlotOwnerRequest.Operation.Update, registrant,
            DirectoryServerState.AgeOf(request), update.ToArray(), cancellationToken).ConfigureAwait(false);
        return unavailable ?? Result(request, registrant, answer, DirectoryCounterKind.Updates,
            Fresh(registrant, CoapResults.Changed()));
    }

    /// <summary>DELETE of a registration.</summary>
    public async ValueTask<CoapResult> RemoveAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        RegistrantIdentity registrant = core.RegistrantOf(request);
        if (RefusalOf(registrant) is { } unsecured)
        {
            return core.Refused(request, unsecured);
        }

        if (KeyOf(request) is not { } key)
        {
            return Missing(request);
        }

        (DirectoryDecision answer, CoapResult? unavailable) =
            await core.AskAsync(key, DirectorySlotOwnerRequest.Operation.Remove, registrant,
            DirectoryServerState.AgeOf(request), default, cancellationToken).ConfigureAwait(false);
        return unavailable ?? Result(request, registrant, answer, DirectoryCounterKind.Removals, CoapResults.Deleted());
    }

    private static CoapTableKey? KeyOf(CoapRequestContext request) =>
        DirectoryLocations.KeyOf(request.Route["id"]) is { } key ? new CoapTableKey(key) : null;

    private static DirectoryRefusal? FaultOf(RegistrationParameters parameters, RegistrantIdentity registrant) =>
        parameters.Endpoint is not null || parameters.Sector is not null
            ? DirectoryRefusal.Bad("An update cannot change 'ep' or 'd'. Register under the other name (RFC 9176 section 5.3.1).")
            : parameters.Base is { } own && Utf8UriParser.IsLinkLocal(own) && registrant.LinkTag == 0 ? WithoutLink("'base'") : null;

    private static DirectoryRefusal WithoutLink(string what) => DirectoryRefusal.Bad(
        $"{what} has a link-local address, but the request came from another kind of address, so the network link is unknown. "
            + "Send it from a link-local address, or use an address that others can reach (RFC 9176 section 5).");

    private static DirectoryRefusal RefusalOf(DirectoryDecision answer, RegistrantIdentity registrant) => answer switch
    {
        DirectoryDecision.NotOwner when !registrant.IsSecured => new DirectoryRefusal(CoapCode.Forbidden,
            "This registration belongs to another client, or to another address. Use the same credentials or address, another name, or "
                + "wait until its lifetime is over (RFC 9176 section 7.5)."),
        DirectoryDecision.NotOwner => new DirectoryRefusal(CoapCode.Forbidden,
            "This registration belongs to other credentials. Use those, another name, or wait until its lifetime is over (RFC 9176 "
                + "section 7.5)."),
        _ => new DirectoryRefusal(CoapCode.InternalServerError,
            "The node that decides about this registration runs another version of the directory. Upgrade all nodes."),
    };

    /// <summary>Creates the registration for a request.</summary>
    /// <returns>The refusal; null for none.</returns>
    public DirectoryRefusal? TryMake(
        CoapPeer peer, RegistrantIdentity registrant, RegistrationParameters parameters, RegistrationLinks links,
        bool isSimple, out Registration made)
    {
        made = default;
        byte[]? own = _options.EndpointNameOf?.Invoke(peer) is { } named ? Encoding.UTF8.GetBytes(named) : null;
        if (own is not null && parameters.Endpoint is { } other && !own.AsSpan().SequenceEqual(other))
        {
            return new DirectoryRefusal(CoapCode.Forbidden,
                "These credentials belong to another endpoint. Leave 'ep' out, or give the name that belongs to them.");
        }

        if ((own ?? parameters.Endpoint) is not { } endpoint)
        {
            return DirectoryRefusal.Bad("'ep' is missing. Give the name of the endpoint, such as ep=node1 (RFC 9176 section 5).");
        }

        if (isSimple && parameters.Base is not null)
        {
            return DirectoryRefusal.Bad("Simple registration does not support 'base'. Leave it out, or POST the links (RFC 9176 section "
                + "5.1).");
        }

        byte[] origin = parameters.Base ?? registrant.Base;
        if (origin.Length == 0)
        {
            return DirectoryRefusal.Bad("'base' is missing: the endpoint is not reachable over this connection. Give it, such as "
                + "base=coap+tcp://node1.example.com (RFC 9176 section 5).");
        }

        bool isLinkLocal = Utf8UriParser.IsLinkLocal(origin) || links.HasLinkLocal;
        if (isLinkLocal && registrant.LinkTag == 0)
        {
            return WithoutLink(links.HasLinkLocal ? "A link" : "'base'");
        }

        byte[] sector = _options.SectorOf?.Invoke(peer) is { } set ? Encoding.UTF8.GetBytes(set) : parameters.Sector ?? [];
        made = Registration.Make(new RegistrationRefreshHeader(registrant.Owner, 0), new RegistrationFields
        {
            Kind = (parameters.Base is null ? 0 : Registration.Traits.HasOwnBase) | (isSimple ? Registration.Traits.IsSimple : 0)
                | (isLinkLocal ? Registration.Traits.IsLinkLocal : 0) | (links.HasLinkLocal ? Registration.Traits.HasLocalLinks : 0)
                | (registrant.IsSecured ? 0 : Registration.Traits.IsUnsecured),
            Lifetime = parameters.Lifetime ?? DirectoryServerState.DefaultLifetime,
            LinkTag = isLinkLocal ? registrant.LinkTag : 0,
            LinkCount = links.Count,
            Endpoint = endpoint,
            Sector = sector,
            Base = origin,
            Attributes = parameters.Attributes,
            Links = links.Bytes,
        });
        return core.CountTerms(made) > _options.Limits.MaxTerms
            ? DirectoryRefusal.Bad(
                $"There are more than {_options.Limits.MaxTerms} different values of rt, if and et. Register fewer links.")
            : null;
    }

    /// <summary>Returns the refusal if a client may not register at all; null if it may.</summary>
    public DirectoryRefusal? RefusalOf(RegistrantIdentity registrant) =>
        registrant.IsSecured || _options.Unsecured != CoapUnsecuredRegistrations.Refused ? null
            : new DirectoryRefusal(CoapCode.Unauthorized,
                "This directory only accepts registrations of authenticated clients. Register over DTLS, TLS or OSCORE.");

    // The next change uses it to prove in one round trip that it is newer than this one.
    private CoapResult Fresh(RegistrantIdentity registrant, CoapResult done) =>
        _options.RequireFreshness && !registrant.IsSecured ? done.WithEcho() : done;

    private CoapResult Missing(CoapRequestContext request) => core.Refused(request, new DirectoryRefusal(CoapCode.NotFound,
        $"The registration does not exist or has expired. Register again: POST the links to {_options.Path} (RFC 9176 section 5.3)."));

    private CoapResult Result(
        CoapRequestContext request, RegistrantIdentity registrant, DirectoryDecision answer, DirectoryCounterKind count,
        CoapResult done)
    {
        switch (answer)
        {
            case DirectoryDecision.Done:
                core.Counts.Add(count);
                return done;
            case DirectoryDecision.Missing:
                return Missing(request);
            case DirectoryDecision.NotFresh:
                core.Counts.Add(DirectoryCounterKind.Challenges);
                return CoapResults.FreshnessRequired();
            default:
                return core.Refused(request, RefusalOf(answer, registrant));
        }
    }
}
