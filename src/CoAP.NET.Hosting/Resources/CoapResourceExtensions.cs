using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Hosting;

namespace CoAP.NET;

/// <summary>Maps resource classes with services.</summary>
public static class CoapResourceExtensions
{
    /// <summary>Maps a resource class, whose instance each request gets from its services.</summary>
    /// <typeparam name="TResource">
    /// The class. If it is not a registered service, each request gets a new instance, with services for the parameters of its constructor;
    /// then it must not be disposable, because no code would dispose it.
    /// </typeparam>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/lock</c> or <c>/devices/{id}</c>.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler.</exception>
    /// <remarks>
    /// A scoped service has one instance per request, a singleton one in total. Override <c>GetAsync</c> and so on; methods without an
    /// override lead to 4.05. Configure path, link attributes and observation here, on the returned route.
    /// </remarks>
    public static CoapRouteHandlerBuilder MapResource<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicConstructors)] TResource>(
            this ICoapRouteBuilder routes, string template)
        where TResource : CoapResource =>
        routes.MapResource(template,
            static request => RequestService.GetUndisposed<TResource>(request, $"The resource {typeof(TResource).Name}"));
}
