using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Hosting;

namespace CoAP.NET;

/// <summary>Maps resources that are classes with services.</summary>
public static class CoapResourceExtensions
{
    /// <summary>
    /// Maps a resource that is a class, of which each request gets its instance from its services: registered as scoped one for the
    /// request, registered as singleton always the same. Override <c>GetAsync</c> and so on; methods that are not overridden are answered
    /// 4.05. Path, link attributes and whether it can be observed are said here, by the route that is returned.
    /// </summary>
    /// <typeparam name="TResource">
    /// The class. Where it is not registered as a service, one is made for each request, with services for the parameters of its
    /// constructor; then it may not be disposable, as nobody would dispose it.
    /// </typeparam>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/lock</c> or <c>/devices/{id}</c>.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler already.</exception>
    public static CoapRouteHandlerBuilder MapResource<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicConstructors)] TResource>(
            this ICoapRouteBuilder routes, string template)
        where TResource : CoapResource =>
        routes.MapResource(template,
            static request => RequestService.GetUndisposed<TResource>(request, $"The resource {typeof(TResource).Name}"));
}
