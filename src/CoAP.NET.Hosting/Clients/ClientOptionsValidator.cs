using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Hosting.Server;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting.Clients;

/// <summary>Checks the options of one client when the application starts.</summary>
internal sealed class ClientOptionsValidator(
    ClientRegistration registration, IEnumerable<ServerRegistration> servers, HostedClientExtension[] parts)
    : IValidateOptions<CoapClientOptions>
{
    public ValidateOptionsResult Validate(string? name, CoapClientOptions options)
    {
        if (name != registration.Name)
        {
            return ValidateOptionsResult.Skip;
        }

        string section = registration.SectionPath;
        List<string> problems = options.Findings.ListProblems(section, options.AllowUnknownKeys);

        if (options.BaseAddress?.ToString() is { } address && CoapUri.ProblemOf(address) is { } error)
        {
            AddProblem("BaseAddress", address, error);
        }

        if (options.Proxy is { } proxy)
        {
            if (!CoapUri.TryParse(proxy.ToString(), out CoapUri? host))
            {
                AddProblem("Proxy", proxy.ToString(), CoapUri.ProblemOf(proxy.ToString())!);
            }
            else if (host.PathSegments.Count > 0 || host.QueryArguments.Count > 0)
            {
                AddProblem("Proxy", proxy.ToString(), "a proxy must be a host. Leave out path and query.");
            }
        }

        if (options.Server is { } server && !servers.Any(known => known.Name == server))
        {
            string known = string.Join(", ", servers.Select(static known => known.Name.Length == 0 ? "*" : known.Name));
            AddProblem("Server", server.Length == 0 ? "*" : server, "no server was added by this name. "
                + (known.Length == 0 ? "There is none: call AddCoapServer." : $"Known are: {known}."));
        }

        if (options.Endpoint.Routes is not null)
        {
            problems.Add($"{registration.Title} serves no requests, but Endpoint.Routes is set. Add a server with AddCoapServer, and let "
                + "the client use it.");
        }

        if (options.Endpoint.Tls is not null && !options.Tls.IsEmpty)
        {
            problems.Add($"{section}:Tls and Endpoint.Tls are both set. Name files, or set Endpoint.Tls in code, not both.");
        }
        else if (TlsOptionsLoader.Load(options.Tls, section, out string? problem) is null && problem is not null)
        {
            problems.Add(problem);
        }

        problems.AddRange(parts.SelectMany(part => part.Check(options)));
        if (options.RequirePrivateKeyFiles)
        {
            problems.AddRange(SecretFilePermissionCheck.Check(options.Tls, parts, section).Select(static file => file.ToString()));
        }

        return problems.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(ConfigurationTextFormatter.OfAll(problems));

        void AddProblem(string key, string value, string problem) =>
            problems.Add($"{section}:{key} = '{ConfigurationTextFormatter.Of(key, value)}': {problem}");
    }
}
