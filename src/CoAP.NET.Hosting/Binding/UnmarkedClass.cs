using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Binding;

/// <summary>A parameter that is a service or the body: only a container says which.</summary>
/// <param name="Name">The name of the parameter.</param>
/// <param name="Type">Its type.</param>
/// <param name="Body">What reads it where it is the body.</param>
internal sealed record UnmarkedClass(string Name, Type Type, IJsonSlot Body)
{
    /// <summary>Whether a container knows the type.</summary>
    public bool IsService(IServiceProvider? services) => services?.GetService<IServiceProviderIsService>()?.IsService(Type) ?? false;
}
