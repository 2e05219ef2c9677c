using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Binding;

/// <summary>A parameter that is a service or the body, as the container decides.</summary>
/// <param name="Name">The name of the parameter.</param>
/// <param name="Type">Its type.</param>
/// <param name="Body">The slot that reads it as the body.</param>
internal sealed record ServiceOrBodyParameter(string Name, Type Type, ISerializedParameterOrResult Body)
{
    public bool IsService(IServiceProvider? services) => services?.GetService<IServiceProviderIsService>()?.IsService(Type) ?? false;
}
