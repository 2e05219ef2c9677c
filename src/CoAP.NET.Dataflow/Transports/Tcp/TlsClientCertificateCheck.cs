using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// A server's check of a client's certificate during one handshake. It remembers who the client claims to be and why it was refused,
/// because the platform only reports that the certificate was not accepted.
/// </summary>
internal sealed class TlsClientCertificateCheck
{
    /// <summary>The subject of the certificate that the client showed, safe to show; null without one.</summary>
    public string? Subject { get; private set; }

    /// <summary>Why the certificate was refused; null otherwise.</summary>
    public string? Refusal { get; private set; }

    /// <summary>What a callback of the application threw; null otherwise.</summary>
    public Exception? Thrown { get; private set; }

    /// <summary>The name of the option with the callback that threw.</summary>
    public string? Callback { get; private set; }

    /// <summary>Makes the options of one connection use this check.</summary>
    /// <param name="options">The options of the connection, which the application does not see.</param>
    public void Attach(SslServerAuthenticationOptions options)
    {
        RemoteCertificateValidationCallback? callback = options.RemoteCertificateValidationCallback;

        // Without a callback the platform ignores a missing certificate that it did not require.
        SslPolicyErrors ignored = options.ClientCertificateRequired ? SslPolicyErrors.None : SslPolicyErrors.RemoteCertificateNotAvailable;
        options.RemoteCertificateValidationCallback = (sender, certificate, chain, errors) => Validate(certificate, chain, errors,
            () => callback?.Invoke(sender, certificate, chain, errors) ?? (errors & ~ignored) == SslPolicyErrors.None);
        if (options.ServerCertificateSelectionCallback is { } select)
        {
            options.ServerCertificateSelectionCallback = (sender, host) =>
            {
                try
                {
                    return select(sender, host);
                }
                catch (Exception exception)
                {
                    Threw("CoapTlsOptions.Server.ServerCertificateSelectionCallback", exception);
                    throw;
                }
            };
        }
    }

    /// <summary>Remembers what a callback of the application threw.</summary>
    /// <param name="name">The option with the callback.</param>
    /// <param name="exception">The exception.</param>
    public void Threw(string name, Exception exception) => (Callback, Thrown) = (name, exception);

    private bool Validate(X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors, Func<bool> accepts)
    {
        Subject = certificate is null ? null : CoapUntrustedText.LineOf(certificate.Subject);
        bool isAccepted;
        try
        {
            isAccepted = accepts();
        }
#pragma warning disable CA1031 // a callback of the application may throw anything
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Threw("CoapTlsOptions.Server.RemoteCertificateValidationCallback", exception);
            throw;
        }

        if (!isAccepted)
        {
            Refusal = certificate is null ? "the client presented no certificate, which this server requires"
                : errors == SslPolicyErrors.None ? "the RemoteCertificateValidationCallback of the server did not accept the certificate, "
                    + "for example because it is revoked"
                : $"the certificate of the client is not trusted ({errors}){Describe(chain)}";
        }

        return isAccepted;
    }

    private static string Describe(X509Chain? chain)
    {
        string status = chain is null ? "" : string.Join(
            ' ', chain.ChainStatus.Select(static one => one.StatusInformation.Trim()).Where(static text => text.Length > 0).Distinct());
        return status.Length == 0 ? "" : $": {CoapUntrustedText.LineOf(status)}";
    }
}
