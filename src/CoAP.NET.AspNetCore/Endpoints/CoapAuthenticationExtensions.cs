using CoAP.NET.AspNetCore;
using CoAP.NET.AspNetCore.Endpoints;
using Microsoft.AspNetCore.Authentication;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds the authentication scheme of CoAP clients.</summary>
public static class CoapAuthenticationExtensions
{
    /// <summary>Adds the scheme <see cref="CoapAuthenticationDefaults.AuthenticationScheme"/>, for policies that name schemes.</summary>
    /// <remarks>
    /// A policy with this scheme and another one, such as <c>Bearer</c>, accepts clients of CoAP and of HTTP. Policies that name no scheme
    /// do not need it.
    /// </remarks>
    /// <param name="builder">The authentication builder of the application.</param>
    /// <returns>The builder.</returns>
    public static AuthenticationBuilder AddCoap(this AuthenticationBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddScheme<AuthenticationSchemeOptions, CoapAuthenticationHandler>(
            CoapAuthenticationDefaults.AuthenticationScheme, null);
    }
}
