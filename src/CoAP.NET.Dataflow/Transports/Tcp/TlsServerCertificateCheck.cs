using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Errors;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>A client's check of a server's certificate. The platform only reports that it was not accepted.</summary>
/// <param name="opening">The connection attempt.</param>
/// <param name="next">The next awaited step after the certificate was accepted.</param>
internal sealed class TlsServerCertificateCheck(ConnectProgressTable.Opening opening, CoapTimeoutStep next)
{
    /// <summary>The check of the application, which decides if it exists.</summary>
    public RemoteCertificateValidationCallback? UserCallback { get; set; }

    public bool IsRefused { get; private set; }

    public SslPolicyErrors Errors { get; private set; }

    public X509ChainStatusFlags Chain { get; private set; }

    /// <summary>The status of the chain in words, safe to show.</summary>
    public string ChainText { get; private set; } = string.Empty;

    /// <summary>The subject of the certificate, safe to show.</summary>
    public string Subject { get; private set; } = string.Empty;

    public bool Validate(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        Errors = errors;
        if (errors.HasFlag(SslPolicyErrors.RemoteCertificateChainErrors) && chain is not null)
        {
            foreach (X509ChainStatus status in chain.ChainStatus)
            {
                Chain |= status.Status;
            }

            ChainText = CoapUntrustedText.LineOf(string.Join(
                ' ', chain.ChainStatus.Select(status => status.StatusInformation.Trim()).Where(text => text.Length > 0).Distinct()));
        }

        Subject = CoapUntrustedText.LineOf(certificate?.Subject);
        bool isAccepted = UserCallback?.Invoke(sender, certificate, chain, errors) ?? errors == SslPolicyErrors.None;
        IsRefused = !isAccepted;
        if (isAccepted)
        {
            opening.OnTrusted(next);
        }

        return isAccepted;
    }
}
