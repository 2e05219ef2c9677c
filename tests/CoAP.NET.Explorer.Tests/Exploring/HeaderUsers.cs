using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>Users who say their name in a header.</summary>
internal sealed class HeaderUsers(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory loggers, UrlEncoder encoder)
    : AuthenticationHandler<AuthenticationSchemeOptions>(options, loggers, encoder)
{
    protected override Task<AuthenticateResult> HandleAuthenticateAsync()
    {
        string name = Request.Headers["X-User"].ToString();
        return Task.FromResult(name.Length == 0
            ? AuthenticateResult.NoResult()
            : AuthenticateResult.Success(new AuthenticationTicket(
                new ClaimsPrincipal(new ClaimsIdentity(
                    [new Claim(ClaimTypes.NameIdentifier, name), new Claim(ClaimTypes.Name, name)], "header")), Scheme.Name)));
    }
}
