using CoAP.NET.AspNetCore;
using CoAP.NET.Explorer.Pages;
using CoAP.NET.Guarding;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// Limits the exchanges and observations of all users, and of each. A user is an identity if there is one, otherwise the addresses of one
/// source (<see cref="CoapQuotaSource"/>). Thread-safe.
/// </summary>
internal sealed class ExchangeLimiter(CoapExplorerOptions options)
{
    private readonly SourceQuota _quota = new(options.MaxExchanges, options.MaxExchangesPerUser);

    public int Taken => _quota.Count;

    /// <summary>Takes a place; return it with <see cref="Return"/>.</summary>
    /// <returns>The source that holds it.</returns>
    /// <exception cref="ExplorerException">All places are taken, or those of the source are.</exception>
    public CoapQuotaSource Take(HttpContext context)
    {
        CoapQuotaSource source = HttpContextPeerIdentity.SourceOf(context);
        return _quota.TryEnter(source)
            ? source
            : throw new ExplorerException(
                StatusCodes.Status503ServiceUnavailable,
                new PageProblem(
                    "Too much at a time",
                    $"You have {_quota.CountOf(source)} of {_quota.Count} pending requests and observations. This page has places for "
                        + $"{options.MaxExchanges}, for {options.MaxExchangesPerUser} of a user, who never has more than a "
                        + "share of them.",
                    "Cancel one, or end an observation in another tab."));
    }

    public void Return(CoapQuotaSource source) => _quota.Exit(source);
}
