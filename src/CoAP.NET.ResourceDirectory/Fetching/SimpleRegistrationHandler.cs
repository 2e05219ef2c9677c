namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// Simple registration (RFC 9176 section 5.1): an endpoint asks the directory to fetch its links, and is answered when they are registered.
/// </summary>
/// <param name="core">The directory.</param>
/// <param name="registrations">Registers.</param>
internal sealed class SimpleRegistrationHandler(DirectoryCore core, RegistrationHandlers registrations)
{
    // Longer than a device that is there takes, and shorter than it waits. The fetch goes on.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan s_whenBusy = TimeSpan.FromSeconds(30);

    /// <summary>POST to <c>/.well-known/rd</c>.</summary>
    public async ValueTask<CoapResult> RegisterAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        Registrant registrant = core.RegistrantOf(request);
        DirectoryRefusal? refusal = registrations.RefusalOf(registrant);
        RegistrationParameters? parameters = null;
        refusal ??= registrant.Base.Length == 0
            ? DirectoryRefusal.Bad($"Over connections there is no simple registration: POST your links to {core.Options.Path}.")
            : !request.Payload.IsEmpty
            ? DirectoryRefusal.Bad($"Simple registration has no payload: POST your links to {core.Options.Path}, or leave them out.")
            : RegistrationParameters.TryRead(request.Queries, core.Options.MaxAttributes, out parameters);

        // Nothing is fetched for what would be refused.
        refusal ??= registrations.TryMake(request.Peer, registrant, parameters!, RegistrationLinks.None, isSimple: true, out _);
        if (refusal is not null)
        {
            return core.Refused(request, refusal);
        }

        // Otherwise whoever forges an address has the directory send requests there.
        if (!request.Peer.IsVerified)
        {
            core.Counts.Add(DirectoryCount.Challenges);
            return CoapResults.FreshnessRequired();
        }

        if (core.Fetches.TryFetch(request.Peer, registrant.Owner) is not { } fetch)
        {
            core.Counts.Add(DirectoryCount.FetchesRefused);
            return CoapResults.ServiceUnavailable(s_whenBusy);
        }

        try
        {
            FetchedLinks fetched = await fetch.WaitAsync(s_patience, core.Options.TimeProvider, cancellationToken).ConfigureAwait(false);
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
