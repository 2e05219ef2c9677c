using CoAP.NET.AspNetCore;
using CoAP.NET.AspNetCore.Endpoints;
using Microsoft.AspNetCore.Authentication;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds the authentication scheme of CoAP clients.</summary>
public static class CoapAuthenticationExtensions
{
    /// <summary>
    /// Adds the scheme <see cref="CoapAuthenticationDefaults.AuthenticationScheme"/>, for policies that name schemes: one that names it and
    /// another one, such as <c>Bearer</c>, is met by clients of CoAP and by those of HTTP. Policies that name none need it not.
    /// </summary>
    /// <param name="builder">The authentication of the application.</param>
    /// <returns>The builder.</returns>
    public static AuthenticationBuilder AddCoap(this AuthenticationBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddScheme<AuthenticationSchemeOptions, CoapAuthenticationHandler>(
            CoapAuthenticationDefaults.AuthenticationScheme, null);
    }
}
