using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting.Authorization;

/// <summary>Finds objects for a request in its services, or creates them.</summary>
internal static class RequestServiceResolver
{
    /// <summary>Returns the services of a request.</summary>
    /// <exception cref="InvalidOperationException">It has none.</exception>
    public static IServiceProvider Of(CoapRequestContext request, string what) => request.Services
        ?? throw new InvalidOperationException(
            $"{what} comes from services, but the request has none. Add the server with AddCoapServer, or set CoapRequestContext.Services in "
                + "an earlier filter of the server.");

    /// <summary>Returns an instance of a type: registered, or created for this use.</summary>
    /// <param name="services">The services.</param>
    /// <param name="made">Whether it was created here, so that the caller has to dispose it.</param>
    public static T Get<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] T>(IServiceProvider services,
        out bool made)
        where T : class
    {
        T? registered = services.GetService<T>();
        made = registered is null;
        return registered ?? ActivatorUtilities.CreateInstance<T>(services);
    }

    /// <summary>Returns an instance of a type, registered or created for this request, that needs no disposal.</summary>
    /// <exception cref="InvalidOperationException">The request has no services, or the type is disposable and not registered.</exception>
    public static T GetUndisposed<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicConstructors)] T>(CoapRequestContext request,
        string what)
        where T : class
    {
        T service = Get<T>(Of(request, what), out bool made);
        return made && service is IDisposable or IAsyncDisposable
            ? throw new InvalidOperationException(
                $"{what} is disposable, but not a registered service, so no code would dispose it. Register it, such as by "
                    + $"AddScoped<{typeof(T).Name}>().")
            : service;
    }
}
