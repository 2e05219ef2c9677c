# samples/Hosting on .NET's chiseled Ubuntu: coap and coaps, no shell, no package manager. In the root of the repository:
#   docker build -f samples/Containers/chiseled.Dockerfile -t coap-hosting . && docker run -p 5683:5683/udp coap-hosting
FROM mcr.microsoft.com/dotnet/sdk:10.0-noble AS build
WORKDIR /source
COPY . .
RUN dotnet publish samples/Hosting -c Release -p:UseAppHost=false -o /app

FROM mcr.microsoft.com/dotnet/runtime:10.0-noble-chiseled
WORKDIR /app
COPY --from=build /app .
EXPOSE 5683/udp 5683/tcp
ENTRYPOINT ["dotnet", "Hosting.dll"]
