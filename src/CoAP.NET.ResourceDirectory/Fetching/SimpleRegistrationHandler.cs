using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory.Fetching;

/// <summary>
/// Simple registration (RFC 9176 section 5.1): an endpoint asks the directory to fetch its links, and gets a response when they are
/// registered.
/// </summary>
internal sealed class SimpleRegistrationHandler(DirectoryServerState core, RegistrationHandlers registrations)
{
    // Longer than an available device needs, and shorter than it waits. The fetch continues.
    private static readonly TimeSpan s_fetchTimeout = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan s_whenBusy = TimeSpan.FromSeconds(30);

    /// <summary>POST to <c>/.well-known/rd</c>.</summary>
    public async ValueTask<CoapResult> RegisterAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        RegistrantIdentity registrant = core.RegistrantOf(request);
        DirectoryRefusal? refusal = registrations.RefusalOf(registrant);
        RegistrationParameters? parameters = null;
        refusal ??= registrant.Base.Length == 0
            ? DirectoryRefusal.Bad($"Simple registration is not possible over connections. POST your links to {core.Options.Path}.")
            : !request.Payload.IsEmpty
            ? DirectoryRefusal.Bad($"Simple registration has no payload. POST your links to {core.Options.Path}, or send an empty request.")
            : RegistrationParameters.TryRead(request.Queries, core.Options.Limits.MaxAttributes, out parameters);

        // Checks the registration first, to avoid a useless fetch.
        refusal ??= registrations.TryMake(request.Peer, registrant, parameters!, RegistrationLinks.None, isSimple: true, out _);
        if (refusal is not null)
        {
            return core.Refused(request, refusal);
        }

        // Otherwise an attacker with a forged address could make the directory send requests to it.
        if (!request.Peer.IsVerified)
        {
            core.Counts.Add(DirectoryCounterKind.Challenges);
            return CoapResults.FreshnessRequired();
        }

        if (core.Fetches.TryFetch(request.Peer, registrant.Owner) is not { } fetch)
        {
            core.Counts.Add(DirectoryCounterKind.FetchesRefused);
            return CoapResults.ServiceUnavailable(s_whenBusy);
        }

        try
        {
            LinkFetchResult fetched = await fetch.WaitAsync(s_fetchTimeout, core.Options.TimeProvider, cancellationToken)
                .ConfigureAwait(false);
            return fetched.Links is not { } links
                ? core.Refused(request, fetched.Refusal!)
                : await registrations.RegisterAsync(request, registrant, parameters!, links, isSimple: true, cancellationToken)
                    .ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            return core.Refused(request, new DirectoryRefusal(CoapCode.GatewayTimeout,
                "Your /.well-known/core has not answered yet. Register again: the answer is kept when it comes (RFC 9176 section 5.1)."));
        }
    }
}
