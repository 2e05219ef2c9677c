using CoAP.NET.Cluster;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Connections.Security;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Hosting;

/// <summary>
/// Verifies before the silo starts that the application has a cluster for the state of its servers, and that only silos of the cluster can
/// call this one.
/// </summary>
internal sealed class CoapSiloValidator(IServiceProvider services) : IConfigurationValidator
{
    /// <inheritdoc/>
    public void ValidateConfiguration()
    {
        if (services.GetService<IServiceProviderIsService>()?.IsService(typeof(CoapCluster)) == false)
        {
            throw new OrleansConfigurationException(
                "AddCoap was called on the silo, but the application has no cluster, which keeps the sessions of devices. Call "
                + "builder.Services.AddCoapState(...).UsePostgreSql(connectionString), too, and KeepState() on each server "
                + "(builder.Services.AddCoapServer().KeepState()).");
        }

        if (services.GetRequiredService<IOptions<TlsOptions>>().Value.RemoteCertificateMode != RemoteCertificateMode.RequireCertificate)
        {
            throw new OrleansConfigurationException(
                "The silo port would accept connections without a certificate, so any machine could call its grains. Keep "
                + "RemoteCertificateMode.RequireCertificate in the TlsOptions of the silo, which AddCoap sets.");
        }
    }
}
