using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting.Server;

/// <summary>Checks the options of one server when the application starts.</summary>
internal sealed class ServerOptionsValidator(ServerRegistration registration, HostedServerExtension[] parts)
    : IValidateOptions<CoapServerOptions>
{
    public ValidateOptionsResult Validate(string? name, CoapServerOptions options)
    {
        if (name != registration.Name)
        {
            return ValidateOptionsResult.Skip;
        }

        string section = registration.SectionPath;
        List<string> problems = options.Findings.ListProblems(section, options.AllowUnknownKeys);

        foreach (string address in options.Endpoints)
        {
            if (ListenAddressValidator.Check(address) is { } problem)
            {
                string key = $"{section}:Endpoints";
                problems.Add($"{key} has '{ConfigurationTextFormatter.Of(key, address)}': {problem}");
            }
        }

        if (options.Endpoint.Routes is { } routes && routes != registration.Routes)
        {
            problems.Add($"{registration.Title} has the routes of its builder. Map on what AddCoapServer returns instead of setting "
                + "Endpoint.Routes.");
        }

        if (options.Endpoint.Tls is not null && !options.Tls.IsEmpty)
        {
            problems.Add($"{section}:Tls and Endpoint.Tls are both set. Name files, or set Endpoint.Tls in code, not both.");
        }
        else if (options.Endpoint.Tls is null)
        {
            _ = TlsOptionsLoader.Load(options.Tls, section, out string? problem);
            problem ??= TlsOptionsLoader.CheckClientCertificates(options.Tls, section);
            if (problem is not null)
            {
                problems.Add(problem);
            }
        }

        problems.AddRange(parts.SelectMany(part => part.Check(options.Endpoint)));
        if (options.RequirePrivateKeyFiles)
        {
            problems.AddRange(SecretFilePermissionCheck.Check(options.Tls, parts, section).Select(static file => file.ToString()));
        }

        if (options.JoinGroups && options.Groups.Addresses.Count == 0)
        {
            problems.Add($"{section}:Groups:Addresses is empty, and {section}:JoinGroups is true. Name at least one group.");
        }

        return problems.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(ConfigurationTextFormatter.OfAll(problems));
    }
}
