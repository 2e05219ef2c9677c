using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>The scheme of clients that the CoAP transports have authenticated; it has no result for HTTP requests.</summary>
internal sealed class CoapAuthenticationHandler(
    IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder)
    : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
{
    protected override Task<AuthenticateResult> HandleAuthenticateAsync() => Task.FromResult(
        Context.Features.Get<CoapRequestFeature>() is not null && Context.User.Identity is { IsAuthenticated: true }
            ? AuthenticateResult.Success(new AuthenticationTicket(Context.User, Scheme.Name))
            : AuthenticateResult.NoResult());
}
