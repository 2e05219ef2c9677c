using System.Reflection;
using CoAP.NET.Dtls;
using CoAP.NET.Edhoc;
using CoAP.NET.Edhoc.Hosting;
using CoAP.NET.Endpoints;
using CoAP.NET.Hosting.Dtls;
using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Hosting;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>What is set in code and by a host has the same defaults.</summary>
public sealed class TwoFacesTests
{
    [Theory]
    [InlineData(typeof(CoapClient), typeof(CoapClientOptions))]
    [InlineData(typeof(CoapEndpointOptions), typeof(CoapServerOptions))]
    [InlineData(typeof(CoapDtlsOptions), typeof(HostedDtlsServerOptions))]
    [InlineData(typeof(CoapDtlsServerOptions), typeof(HostedDtlsServerOptions))]
    [InlineData(typeof(CoapDtlsClientOptions), typeof(HostedDtlsClientOptions))]
    [InlineData(typeof(OscoreContexts), typeof(CoapOscoreServerFileOptions))]
    [InlineData(typeof(EdhocServerOptions), typeof(CoapEdhocServerFileOptions))]
    [InlineData(typeof(EdhocClientOptions), typeof(CoapEdhocClientFileOptions))]
    public async Task Settings_of_one_name_have_one_default(Type code, Type configuration)
    {
        object inCode = code == typeof(CoapClient) ? new CoapClient() : Activator.CreateInstance(code)!;
        object hosted = Activator.CreateInstance(configuration)!;
        int compared = 0;
        foreach (PropertyInfo property in inCode.GetType().GetProperties().Where(static one => one.CanWrite))
        {
            if (hosted.GetType().GetProperty(property.Name) is { CanWrite: true } other && other.PropertyType == property.PropertyType)
            {
                Assert.Equal((property.Name, property.GetValue(inCode)), (other.Name, other.GetValue(hosted)));
                compared++;
            }
        }

        Assert.NotEqual(0, compared);
        await (inCode is IAsyncDisposable client ? client.DisposeAsync() : ValueTask.CompletedTask);
    }

    [Theory]
    [InlineData(typeof(CoapClient))]
    [InlineData(typeof(CoapClientOptions))]
    public void Clients_have_all_common_settings_of_requests(Type client) => Assert.All(
        typeof(CoapRequestDefaults).GetProperties(),
        common => Assert.Equal(common.PropertyType, client.GetProperty(common.Name)?.PropertyType), throwIfEmpty: true);
}
